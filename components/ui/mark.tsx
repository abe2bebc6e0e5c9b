/** The mark: two warp threads and two weft threads, over and under; also public/icon.svg. */
export function Mark({ size = 22 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <g fill="none" strokeWidth="3.4" stroke="currentColor">
        <path d="M8 1.5v4M8 10.6v12" />
        <path d="M16 1.5v12M16 18.6v4" />
      </g>
      <g fill="none" strokeWidth="3.4" stroke="var(--thread)">
        <path d="M1.5 8h12M18.6 8h4" />
        <path d="M1.5 16h4M10.6 16h12" />
      </g>
    </svg>
  );
}
