import { describe, expect, it } from "vitest";
import { makeAd } from "./compile";
import { compile, evaluate, type NamedScope, parseExpression, printExpression, readAd, unparse } from "./index";
import { parseRecord } from "./parse";
import { Ad } from "./value";

// GridBot, Figure 3 (Replica1 is printed "Replical" there).
const figure3 = `[ Job= [ Name="job1"; Executable="/bin/hostname"; NumberOfReplicas=2;
        Replica1= [ Name="job1_1"; Host=[ Name="is3.myhost"; SentTime=242525; ErrorRate=0.18; ] ];
        Replica2= [ Name="job1_2"; Host=[ Name="is2.myhost"; SentTime=242525; ErrorRate=0.08; ] ]; ];
BOT= [JobRequirements = !Tail? True: regexp(Host.Name, /*myhost*/) && Host.ErrorRate<0.1;
Rank= !Tail?1: Host.JobsToday;
ReplicationRequirements= (NumberOfReplicas<3&& Job.Replica1.Host.ErrorRate>0.1);
Concurrency=2*Host.NumCpus; Deadline=Concurrency*2000; JobsLeft=10; JobsDone=5; Tail=true; ];
Queue= [BOTsInQueue=1; ] ]`;

function scopes(host: string): NamedScope[] {
  const parsed = parseRecord(figure3, { dialect: "gridbot" });
  if (!parsed.ok) throw new Error(parsed.problem.message);
  const compound = makeAd(parsed.value);
  const part = (name: string): NamedScope => {
    const value = evaluate(compile({ kind: "reference", name }), { my: compound });
    if (!(value instanceof Ad)) throw new Error(name);
    // The parts stand side by side, not inside the compound record.
    return { name, ad: new Ad(value.shape, value.slots, undefined) };
  };
  const read = readAd(host);
  if (!read.ok) throw new Error("host");
  return [part("BOT"), part("Job"), { name: "Host", ad: read.ad }, part("Queue")];
}
const value = (text: string, host: string) => {
  const parsed = parseExpression(text, { dialect: "gridbot" });
  return parsed.ok ? unparse(evaluate(compile(parsed.value), { scopes: scopes(host) })) : parsed.problem.message;
};

describe("GridBot's dialect", () => {
  const good = '[ Name="is7.myhost.org"; ErrorRate=0.05; JobsToday=7; NumCpus=4 ]';
  it.each([
    ["JobRequirements", "true"],
    ["Rank", "7"],
    ["ReplicationRequirements", "true"],
    ["Concurrency", "8"],
    ["Deadline", "16000"],
    ["Job.Replica2.Host.ErrorRate", "0.08"],
    ["Name", '"job1"'],
    ["BOTsInQueue + JobsLeft", "11"],
  ])("evaluates %s of Figure 3 to %s", (text, expected) => expect(value(text, good)).toBe(expected));

  it("refuses a host that fails too often", () => {
    expect(value("JobRequirements", '[ Name="is7.myhost"; ErrorRate=0.5 ]')).toBe("false");
    expect(value("JobRequirements", '[ Name="elsewhere"; ErrorRate=0.05 ]')).toBe("false");
  });
  it("turns its regexp around into HTCondor's order, and leaves that order alone", () => {
    const shown = (text: string) => {
      const parsed = parseExpression(text, { dialect: "gridbot" });
      return parsed.ok ? printExpression(parsed.value) : parsed.problem.message;
    };
    expect(shown("regexp(Host.Name, /^node[0-9]/)")).toBe('regexp("^node[0-9]",Host.Name)');
    expect(shown('regexp(Name, "^a")')).toBe('regexp("^a",Name)');
    expect(shown('regexp("^a", Name)')).toBe('regexp("^a",Name)');
    expect(shown("a / 2 /* halved */ / 3")).toBe("a/2/3");
  });
});
