/** Calls per day as stacked bars, one part for each state. */
import type { CallStatistics } from "toolgate/call";
import { useIsPhone } from "../use-media.js";
import { grouped } from "../words.js";
import { CALL_STATES, namedStates, stackOf } from "./call-states.js";
import { allDays, dayOfMonth, niceSteps } from "./chart-scale.js";

type DayProps = {
  readonly byDay: readonly CallStatistics[];
  readonly since: number | undefined;
  readonly days: number;
  readonly isTable: boolean;
};

const BOTTOM = 24;
const TOP = 20;
const LEFT = 40;

export function CallsPerDay({ byDay, since, days, isTable }: DayProps) {
  const isPhone = useIsPhone();
  if (isTable) return <DayTable byDay={byDay} />;
  const names = allDays(
    since,
    days,
    byDay.map(({ key }) => key),
  );
  const found = new Map(byDay.map((day) => [day.key, day]));
  const width = isPhone ? 340 : 680;
  const height = 200;
  const steps = niceSteps(Math.max(...byDay.map(({ calls }) => calls)));
  const top = steps.at(-1) ?? 1;
  const y = (value: number): number => height - BOTTOM - (value / top) * (height - BOTTOM - TOP);
  const slot = (width - LEFT) / Math.max(1, names.length);
  const bar = Math.min(32, slot * 0.68);
  const isCrowded = slot < 26;
  return (
    <svg
      class="g"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={`Calls per day, at most ${grouped(top)}. As tables shows the numbers.`}
    >
      <defs>
        <pattern id="hatch" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <path class="hatch" d="M0 0v4" />
        </pattern>
      </defs>
      {steps.map((step) => (
        <g key={step}>
          <path class="grid-line" d={`M${LEFT} ${y(step)}H${width}`} />
          <text x={LEFT - 8} y={y(step) + 4} text-anchor="end">
            {grouped(step)}
          </text>
        </g>
      ))}
      {names.map((name, index) => {
        const day = found.get(name);
        const x = LEFT + index * slot + (slot - bar) / 2;
        const middle = x + bar / 2;
        const isLabelled = !isCrowded || index % Math.ceil(26 / slot) === 0;
        return (
          <g key={name}>
            {day && (
              <>
                {stackOf(day).map(({ name: state, fill, from, to }) => (
                  <rect
                    key={state}
                    class={state === "failed" ? "hatched" : fill}
                    data-state={state}
                    x={x}
                    width={bar}
                    y={y(to)}
                    height={y(from) - y(to)}
                  />
                ))}
                {!isCrowded && (
                  <text class="v" x={middle} y={y(day.calls) - 5} text-anchor="middle">
                    {grouped(day.calls)}
                  </text>
                )}
              </>
            )}
            {isLabelled && (
              <text x={middle} y={height - 6} text-anchor="middle">
                {dayOfMonth(name)}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}

function DayTable({ byDay }: { readonly byDay: readonly CallStatistics[] }) {
  const states = CALL_STATES.filter((state) => byDay.some((day) => namedStates(day).includes(state)));
  return (
    <table class="table">
      <thead>
        <tr>
          <th>Day</th>
          <th class="num">Calls</th>
          {states.map(({ name }) => (
            <th key={name} class="num">
              {name.charAt(0).toUpperCase() + name.slice(1)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {byDay.map((day) => (
          <tr key={day.key}>
            <td>{day.key}</td>
            <td class="num">{grouped(day.calls)}</td>
            {states.map(({ name }) => (
              <td key={name} class="num">
                {grouped(day[name])}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
