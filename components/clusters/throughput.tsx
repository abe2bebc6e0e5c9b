/** What ended on a cluster in the last hour, a bar a minute: finished below, failed on top. */
import { counted } from "@/components/ui/format";
import type { ActivityView } from "@/server/api/clusters/views";

const height = 28;
const step = 3;

export function totals(activity: ActivityView | undefined): { finished: number; failed: number } {
  const sum = (values: readonly number[] = []) => values.reduce((total, value) => total + value, 0);
  return { finished: sum(activity?.succeeded), failed: sum(activity?.failed) };
}

export function Throughput({ activity }: { activity: ActivityView | undefined }) {
  const { finished, failed } = totals(activity);
  if (!activity || finished + failed === 0)
    return <span className="text-[0.9rem] text-faint">nothing in the last hour</span>;
  const most = Math.max(...activity.succeeded.map((value, minute) => value + (activity.failed[minute] ?? 0)));
  const scaled = (value: number) => (value === 0 ? 0 : Math.max(1.5, (value / most) * height));
  const said = `${counted(finished, "attempt")} finished, ${failed === 0 ? "none" : failed} failed in the last hour`;
  return (
    <svg
      role="img"
      aria-label={said}
      viewBox={`0 0 ${activity.succeeded.length * step} ${height}`}
      preserveAspectRatio="none"
      className="block h-7 w-full max-w-60 border-b border-rule-strong"
    >
      <title>{said}</title>
      <path d={bars(activity.succeeded, () => 0, scaled)} fill="var(--state-finished)" />
      <path
        d={bars(activity.failed, (minute) => scaled(activity.succeeded[minute] ?? 0), scaled)}
        fill="var(--danger)"
      />
    </svg>
  );
}

function bars(values: readonly number[], above: (minute: number) => number, scaled: (value: number) => number): string {
  const bar = (value: number, minute: number) => {
    const top = Math.max(0, height - above(minute) - scaled(value));
    return `M${minute * step} ${height - above(minute)}V${top}h${step - 0.8}V${height - above(minute)}z`;
  };
  return values.map((value, minute) => (value === 0 ? "" : bar(value, minute))).join("");
}
