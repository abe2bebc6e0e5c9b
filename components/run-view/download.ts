/** Where a run's files are fetched from. A name may hold blanks, quotes and slashes: each component is escaped. */
export function downloadPath(runId: string, name: string): string {
  return `/api/runs/${runId}/files/${name.split("/").map(encodeURIComponent).join("/")}`;
}

export function rescuePath(runId: string): string {
  return `/api/runs/${runId}/rescue`;
}

export function archivePath(runId: string): string {
  return `/api/runs/${runId}/archive`;
}
