/** A time as people read it: of their own time zone, to the minute or to the second. */
export function localTime(at: number, to: "minute" | "second" = "minute"): string {
  const time = new Date(at);
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join("-");
  const hours = [time.getHours(), time.getMinutes(), ...(to === "second" ? [time.getSeconds()] : [])];
  return `${day} ${hours.map(two).join(":")}`;
}
