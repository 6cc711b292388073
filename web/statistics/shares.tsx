/** Shares: one bar in parts with its table, and rates over the days as lines. */
import type { CallStatistics } from "toolgate/call";
import { useIsPhone } from "../use-media.js";
import { counted, grouped, MIN_RATE_CALLS, rate } from "../words.js";
import { dayOfMonth, niceSteps } from "./chart-scale.js";

type ShareRow = {
  readonly name: string;
  readonly fill: string;
  readonly count: number;
  readonly note: string;
};

export function Shares({ rows, total }: { readonly rows: readonly ShareRow[]; readonly total: number }) {
  return (
    <>
      <div class="shares" aria-hidden="true">
        {rows.map(
          ({ name, fill, count }) =>
            count > 0 && <span key={name} class={fill} style={{ flexGrow: count, flexBasis: 0 }} />,
        )}
      </div>
      <table class="table shares-t">
        <tbody>
          {rows.map(({ name, fill, count, note }) => (
            <tr key={name}>
              <td class="nw">
                <i class={`swatch ${fill}`} /> {name}
              </td>
              <td class="num">{grouped(count)}</td>
              <td class="num soft">{rate(count, total)}</td>
              <td class="soft">{note}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

const BOTTOM = 24;
const LEFT = 40;
const RIGHT = 96;

const share = (count: number, day: CallStatistics): number => (100 * count) / day.calls;

function ShareTable({ days }: { readonly days: readonly CallStatistics[] }) {
  return (
    <table class="table">
      <thead>
        <tr>
          <th>Day</th>
          <th class="num">Failed</th>
          <th class="num">Refused</th>
        </tr>
      </thead>
      <tbody>
        {days.map(({ key, calls, failed, refused }) => (
          <tr key={key}>
            <td>{key}</td>
            <td class="num">{rate(failed, calls)}</td>
            <td class="num">{rate(refused, calls)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Days with too few calls have no rate. */
export function ShareLines({
  byDay,
  isTable,
}: {
  readonly byDay: readonly CallStatistics[];
  readonly isTable: boolean;
}) {
  const isPhone = useIsPhone();
  const days = byDay.filter(({ calls }) => calls >= MIN_RATE_CALLS);
  const leftOut = days.length < byDay.length && (
    <p class="faint xs">
      {counted(byDay.length - days.length, "day")} with fewer than {MIN_RATE_CALLS} calls left out.
    </p>
  );
  if (days.length < 2)
    return <p class="faint xs">Fewer than two days have {MIN_RATE_CALLS} calls: a rate would say nothing.</p>;
  if (isTable)
    return (
      <>
        <ShareTable days={days} />
        {leftOut}
      </>
    );
  const width = isPhone ? 340 : 480;
  const height = 180;
  const steps = niceSteps(Math.max(...days.map((day) => share(Math.max(day.failed, day.refused), day))), 3);
  const top = steps.at(-1) ?? 1;
  const x = (index: number): number => LEFT + (index * (width - LEFT - RIGHT)) / (days.length - 1);
  const y = (value: number): number => height - BOTTOM - (value / top) * (height - BOTTOM - 12);
  const line = (pick: (day: CallStatistics) => number): string =>
    days
      .map(
        (day, index) =>
          `${index === 0 ? "M" : "L"}${x(index).toFixed(1)} ${y(share(pick(day), day)).toFixed(1)}`,
      )
      .join("");
  const last = days.at(-1);
  const failedAt = last ? y(share(last.failed, last)) : 0;
  const refusedAt = last ? y(share(last.refused, last)) : 0;
  const isClose = Math.abs(failedAt - refusedAt) < 14;
  const every = Math.ceil(days.length / 6);
  return (
    <>
      <svg
        class="g"
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label="Failed and refused calls by day, in percent. As tables shows the numbers."
      >
        {steps.map((step) => (
          <g key={step}>
            <path class="grid-line" d={`M${LEFT} ${y(step)}H${width - RIGHT}`} />
            <text x={LEFT - 8} y={y(step) + 4} text-anchor="end">
              {step} %
            </text>
          </g>
        ))}
        {days.map(
          ({ key }, index) =>
            index % every === 0 && (
              <text key={key} x={x(index)} y={height - 6} text-anchor="middle">
                {dayOfMonth(key)}
              </text>
            ),
        )}
        <path d={line(({ failed }) => failed)} fill="none" stroke="var(--c5)" stroke-width="2" />
        <path
          d={line(({ refused }) => refused)}
          fill="none"
          stroke="var(--ink-2)"
          stroke-width="2"
          stroke-dasharray="4 4"
        />
        {last && (
          <>
            <text
              class="v"
              x={width - RIGHT + 8}
              y={
                failedAt +
                4 -
                (isClose && failedAt <= refusedAt ? 7 : 0) +
                (isClose && failedAt > refusedAt ? 7 : 0)
              }
            >
              failed {rate(last.failed, last.calls)}
            </text>
            <text
              class="v"
              x={width - RIGHT + 8}
              y={
                refusedAt +
                4 +
                (isClose && failedAt <= refusedAt ? 7 : 0) -
                (isClose && failedAt > refusedAt ? 7 : 0)
              }
            >
              refused {rate(last.refused, last.calls)}
            </text>
          </>
        )}
      </svg>
      {leftOut}
    </>
  );
}
