/** A column's head that sorts by it, and the other way round when it already does. */
import { ArrowDown, ArrowUp } from "lucide-react";
import type { RowQuery, SortKey } from "./task-rows";

export function SortHeader({
  label,
  sortKey,
  query,
  onSort,
  className = "",
}: {
  label: string;
  sortKey: SortKey;
  query: RowQuery;
  onSort: (key: SortKey) => void;
  className?: string;
}) {
  const active = query.sort === sortKey;
  const Arrow = query.descending ? ArrowUp : ArrowDown;
  return (
    <th
      className={`px-3 font-normal ${className}`}
      aria-sort={active ? (query.descending ? "descending" : "ascending") : "none"}
    >
      <button type="button" onClick={() => onSort(sortKey)} className="inline-flex items-center gap-1 hover:text-ink">
        {label}
        {active ? <Arrow size={12} aria-hidden="true" /> : null}
      </button>
    </th>
  );
}
