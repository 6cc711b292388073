/** A QR code from rows of 0 and 1. The code stays black on white in both themes, or cameras miss it. */
export function QrCode({ rows }: { readonly rows: readonly string[] }) {
  const size = rows.length;
  const path = rows
    .flatMap((row, y) =>
      Array.from(
        row.matchAll(/1+/g),
        ({ index, 0: run }) => `M${index} ${y}h${run.length}v1h-${run.length}z`,
      ),
    )
    .join("");
  return (
    <div class="qr">
      <svg
        viewBox={`0 0 ${size} ${size}`}
        shape-rendering="crispEdges"
        role="img"
        aria-label="QR code with the address and the code"
      >
        <path d={path} fill="#000" />
      </svg>
    </div>
  );
}
