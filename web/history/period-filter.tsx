/** The days whose calls are shown: a period that ends now, or from one day to another. */
import { Pick } from "../parts/controls.js";
import { RANGE, type Filters } from "./history-query.js";

const PERIODS: readonly (readonly [string, string])[] = [
  ["", "All time"],
  ["1", "Last 24 hours"],
  ["7", "Last 7 days"],
  ["30", "Last 30 days"],
  [RANGE, "From … to …"],
];

type PeriodProps = { readonly filters: Filters; readonly onSet: (change: Partial<Filters>) => void };

export function PeriodFilter({ filters: { days, from, to }, onSet }: PeriodProps) {
  return (
    <>
      <Pick
        label="Period"
        value={days}
        options={PERIODS}
        isSet={days !== ""}
        onPick={(picked) => onSet({ days: picked, ...(picked !== RANGE && { from: "", to: "" }) })}
      />
      {days === RANGE && (
        <>
          <Day label="First day" day={from} max={to} onSet={(day) => onSet({ from: day })} />
          <span class="faint xs">to</span>
          <Day label="Last day" day={to} min={from} onSet={(day) => onSet({ to: day })} />
        </>
      )}
    </>
  );
}

type DayProps = {
  readonly label: string;
  readonly day: string;
  readonly min?: string;
  readonly max?: string;
  readonly onSet: (day: string) => void;
};

function Day({ label, day, min = "", max = "", onSet }: DayProps) {
  return (
    <span class={day === "" ? "pick" : "pick on"}>
      <input
        class="chip"
        type="date"
        aria-label={label}
        value={day}
        min={min}
        max={max}
        onChange={(event) => onSet(event.currentTarget.value)}
      />
    </span>
  );
}
