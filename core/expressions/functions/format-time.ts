/** strftime in the C locale: the codes of ANSI C, and those of POSIX that do not depend on a locale. */
const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const dayMilliseconds = 86_400_000;

const two = (value: number, fill = "0") => String(value).padStart(2, fill);

/** The text, or nothing where no calendar reaches. `zone` is in seconds east of Greenwich. */
export function formatTime(seconds: number, format: string, zone: number): string | undefined {
  const date = new Date((seconds + zone) * 1000);
  if (Number.isNaN(date.getTime())) return undefined;
  const codes = codesOf(date, seconds, zone);
  return format.replace(/%(.)/gs, (whole, code: string) => (Object.hasOwn(codes, code) ? codes[code]!() : whole));
}

function codesOf(date: Date, seconds: number, zone: number): Readonly<Record<string, () => string>> {
  const year = date.getUTCFullYear();
  const dayOfYear = Math.floor((date.getTime() - Date.UTC(year, 0, 1)) / dayMilliseconds);
  const weekday = date.getUTCDay();
  const hours = date.getUTCHours();
  const day = days[weekday]!;
  const month = months[date.getUTCMonth()]!;
  const monthNumber = two(date.getUTCMonth() + 1);
  const dayOfMonth = two(date.getUTCDate());
  const minutes = two(date.getUTCMinutes());
  const time = `${two(hours)}:${minutes}:${two(date.getUTCSeconds())}`;
  const twelve = hours % 12 || 12;
  const american = `${monthNumber}/${dayOfMonth}/${two(year % 100)}`;
  const half = hours < 12 ? "AM" : "PM";
  return {
    a: () => day.slice(0, 3),
    A: () => day,
    b: () => month.slice(0, 3),
    B: () => month,
    c: () => `${day.slice(0, 3)} ${month.slice(0, 3)} ${two(date.getUTCDate(), " ")} ${time} ${year}`,
    C: () => two(Math.floor(year / 100)),
    d: () => dayOfMonth,
    D: () => american,
    e: () => two(date.getUTCDate(), " "),
    F: () => `${year}-${monthNumber}-${dayOfMonth}`,
    g: () => two(isoWeek(date).year % 100),
    G: () => String(isoWeek(date).year),
    h: () => month.slice(0, 3),
    H: () => two(hours),
    I: () => two(twelve),
    j: () => String(dayOfYear + 1).padStart(3, "0"),
    k: () => two(hours, " "),
    l: () => two(twelve, " "),
    m: () => monthNumber,
    M: () => minutes,
    n: () => "\n",
    p: () => half,
    P: () => half.toLowerCase(),
    r: () => `${two(twelve)}:${time.slice(3)} ${half}`,
    R: () => `${two(hours)}:${minutes}`,
    s: () => String(Math.trunc(seconds)),
    S: () => two(date.getUTCSeconds()),
    t: () => "\t",
    T: () => time,
    u: () => String(weekday || 7),
    U: () => two(Math.floor((dayOfYear + 7 - weekday) / 7)),
    V: () => two(isoWeek(date).week),
    w: () => String(weekday),
    W: () => two(Math.floor((dayOfYear + 7 - ((weekday + 6) % 7)) / 7)),
    x: () => american,
    X: () => time,
    y: () => two(year % 100),
    Y: () => String(year),
    Z: () => (zone === 0 ? "UTC" : `${zone < 0 ? "-" : "+"}${two(Math.floor(Math.abs(zone) / 3600))}`),
    "%": () => "%",
  };
}

/** ISO 8601: a week belongs to the year its Thursday is in. */
function isoWeek(date: Date): { year: number; week: number } {
  const thursday = new Date(date.getTime() + (4 - (date.getUTCDay() || 7)) * dayMilliseconds);
  const year = thursday.getUTCFullYear();
  return { year, week: Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / dayMilliseconds / 7) + 1 };
}
