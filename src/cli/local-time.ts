/** A time to the minute, in the time zone of the person who reads it. */
export function localTime(at: number): string {
  const time = new Date(at);
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join("-");
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

const two = (value: number): string => String(value).padStart(2, "0");
