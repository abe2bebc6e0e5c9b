/** The tasks that were found, one a row. */
import Link from "next/link";
import { StateTile } from "@/components/graph/state-glyph";
import { stateLooks } from "@/components/graph/state-look";
import { count } from "@/components/ui/format";
import type { DirectoryEntry } from "@/server/api/views";

export function Results({
  entries,
  byFile,
  everybody,
}: {
  entries: DirectoryEntry[];
  byFile: boolean;
  everybody: boolean;
}) {
  const heads = [
    "Task",
    ...(byFile ? ["File"] : []),
    "State",
    "Machine",
    "Run",
    ...(everybody ? ["User"] : []),
    "Predecessors",
  ];
  return (
    <div className="overflow-x-auto">
      <table className="w-full min-w-[44rem] border-t text-left text-[0.93rem]" aria-label="Tasks found">
        <thead>
          <tr className="border-b text-muted">
            {heads.map((head) => (
              <th key={head} scope="col" className="py-1.5 pr-4 font-medium">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr
              key={`${entry.run.id}.${entry.task}`}
              className="border-b align-top"
              data-testid="directory-row"
              data-state={entry.state}
            >
              <td className="max-w-[18rem] py-1.5 pr-4">
                <Link className="link break-words font-medium" href={`/runs/${entry.run.id}?task=${entry.task}`}>
                  {entry.name}
                </Link>
                <span className="num ml-2 font-mono text-[0.8rem] text-faint">{count(entry.task)}</span>
              </td>
              {byFile ? <td className="py-1.5 pr-4">{entry.use === "makes" ? "makes it" : "reads it"}</td> : null}
              <td className="py-1.5 pr-4">
                <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
                  <StateTile state={entry.state} size={16} /> {stateLooks[entry.state].label}
                </span>
              </td>
              <td className="py-1.5 pr-4 font-mono text-[0.85rem]">
                {entry.host ?? <span className="text-faint">none yet</span>}
              </td>
              <td className="max-w-[14rem] py-1.5 pr-4">
                <Link className="link break-words" href={`/runs/${entry.run.id}`}>
                  {entry.run.name}
                </Link>
              </td>
              {everybody ? <td className="py-1.5 pr-4">{entry.user}</td> : null}
              <td className="max-w-[18rem] break-words py-1.5 text-muted">{predecessors(entry)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function predecessors({ predecessors: shown, predecessorCount: all }: DirectoryEntry): string {
  if (all === 0) return "none";
  const names = shown.map(({ name }) => name).join(", ");
  return all > shown.length ? `${names} and ${count(all - shown.length)} more` : names;
}
