/** The page's icons, drawn on 16 × 16 pixels. They are decoration: a word always stands beside them. */
const circle = (x: number, y: number, r: number): string =>
  `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;

const SHIELD = "M8 1.8 13 4v3.6c0 3-2 5.3-5 6.6-3-1.3-5-3.6-5-6.6V4z";

const ICONS = {
  gate: "M2.5 14V3M13.5 14V3M2.5 5.5h11M6 5.5V14M10 5.5V14",
  inbox: "M2 9.5 4 3h8l2 6.5V13H2zM2 9.5h3.5a2.5 2.5 0 0 0 5 0H14",
  sessions: "M2.5 3.5h11v7h-6l-3 2.5v-2.5h-2z",
  history: `${circle(8, 8, 5.5)}M8 5v3l2 1.5`,
  statistics: "M2.5 13.5h11M4.5 11V7.5M8 11V3.5M11.5 11V6",
  rules: SHIELD,
  devices:
    "M6 1.8h4A1.5 1.5 0 0 1 11.5 3.3v9.4a1.5 1.5 0 0 1-1.500 1.500H6a1.500 1.500 0 0 1-1.500-1.500V3.300A1.500 1.500 0 0 1 6 1.800zM7 12h2",
  running: "M14 8a6 6 0 1 1-6-6",
  waiting: `${circle(8, 8, 6)}M6.3 6.3A1.7 1.7 0 1 1 8 8.300v.7M8 11.300v.01`,
  theme: `${circle(8, 8, 3)}M8 1.500v1.500M8 13v1.500M1.500 8H3M13 8h1.500`,
  search: `${circle(7, 7, 4)}M10 10l3.500 3.500`,
  close: "M4.5 4.5l7 7M11.5 4.5l-7 7",
  plus: "M8 3v10M3 8h10",
  contained: "M2.5 5 8 2l5.5 3v6L8 14l-5.500-3zM2.500 5 8 8l5.500-3M8 8v6",
  breach: `${SHIELD}M8.800 4.500l-2 3h2.600l-2 3`,
  done: "M3 8.500l3.300 3.300L13 4.800",
  person: `${circle(8, 5, 2.5)}M3 14c.5-3 2.500-4 5-4s4.500 1 5 4`,
  unknown:
    "M5.500 5.500A2.500 2.500 0 1 1 8 8.500V10M8 12.800v.01M2 2v2M2 2h2M14 2v2M14 2h-2M2 14v-2M2 14h2M14 14v-2M14 14h-2",
  rule: "M3 4h10v8H3zM5.500 7h5M5.500 9.500h3",
  undone: "M5.500 3 2.500 6l3 3M2.500 6H10a3.500 3.500 0 0 1 0 7H6",
  refused: `${circle(8, 8, 6)}M3.800 3.800l8.400 8.400`,
  exit: "M8 2.500v7M8 13v.01",
  withdrawn: "M2.500 5h11v8h-11zM2.500 5 4 2.500h8L13.500 5M6 8.500h4",
  cancelled: "M3 8h10",
  branch: `${circle(5, 4, 1.8)}${circle(11.5, 12, 1.8)}M5 5.800V9a3 3 0 0 0 3 3h1.700`,
  edit: "M10.500 3l2.500 2.500L6 12.500l-3 .5.500-3z",
  seen: `M1.500 8S4 3.500 8 3.500 14.500 8 14.500 8 12 12.500 8 12.500 1.500 8 1.500 8z${circle(8, 8, 2)}`,
  kept: "M3 3h8l2 2v8H3zM5.500 3v3.500h5V3M5.500 13V9.500h5V13",
  down: "M4.500 6.500l3.500 3.500 3.500-3.500",
  execute: "M3.500 4.500l3.500 3.500-3.500 3.500M8.500 12h4.500",
  fetch: "M8 2.500v8M4.800 7.500 8 10.700l3.200-3.200M3 13.500h10",
  read: "M3 4h10M3 8h10M3 12h6",
  delete: "M3 4.500h10M6 4.500v-2h4v2M4.500 4.500l.5 9h6l.5-9",
  back: "M10 3.500 5.500 8l4.500 4.500",
  file: "M4 2h5l3 3v9H4zM9 2v3h3",
  idea: "M6 13h4M6.300 11h3.400c0-1.500 2-2.300 2-4.700a3.700 3.700 0 0 0-7.400 0c0 2.400 2 3.200 2 4.700z",
  think: "M8 4v.01M4.500 11v.01M11.500 11v.01",
  move: "M2.500 8h10M9 4.500 12.500 8 9 11.500",
  failed: "M4 4l8 8M12 4l-8 8",
  pending: circle(8, 8, 5.5),
  image: "M2.500 3h11v10h-11zM2.500 11l3-3 2.500 2.500 2-2 3.500 3M5.500 5.800v.01",
  menu: "M8 3.500v.01M8 8v.01M8 12.500v.01",
  play: "M5 3.500v9l7.500-4.500z",
  pause: "M5.500 3.500v9M10.500 3.500v9",
  forward: "M6 3.500 10.500 8 6 12.500",
} as const;

export type IconName = keyof typeof ICONS;

/** Icons that are mere dots need a thicker pen. */
const THICK: ReadonlySet<IconName> = new Set(["think", "exit", "menu"]);

export function Icon({ name, turns = false }: { readonly name: IconName; readonly turns?: boolean }) {
  return (
    <svg class={turns ? "i spin" : "i"} viewBox="0 0 16 16" aria-hidden="true">
      <path d={ICONS[name]} {...(THICK.has(name) && { "stroke-width": 2 })} />
    </svg>
  );
}

const KINDS: Readonly<Record<string, IconName>> = {
  read: "read",
  edit: "edit",
  delete: "delete",
  move: "move",
  search: "search",
  execute: "execute",
  think: "think",
  fetch: "fetch",
  switch_mode: "rule",
};

/** Own properties only: the kind comes from an agent. */
export const kindIcon = (kind: string): IconName =>
  (Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined) ?? "branch";
