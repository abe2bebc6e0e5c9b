/** Instants and spans of time. The clock and the local zone come from the evaluation's surroundings. */
import { Ad, Shape } from "../ad";
import { AbsTime, ERROR, type Frame, numberOf, Real, RelTime, type Value } from "../value";
import { type BuiltIn, leadingNumber, ofDefined, ofValues } from "./define";

const now = (frame: Frame): number | undefined => {
  const clock = frame.session.surroundings.now;
  return clock && Math.floor(clock());
};
const localZone = (frame: Frame): number => frame.session.surroundings.zoneOffset ?? 0;

/** `2020-01-02T03:04:05+01:00` and small variations: other separators or none, the time or the zone left out. */
export function parseAbsTime(text: string, zone: number): AbsTime | undefined {
  const match =
    /^\s*(\d{4})\D?(\d{2})\D?(\d{2})(?:\D*?(\d{2})\D?(\d{2})(?:\D?(\d{2}))?)?\s*(?:([+-])(\d{2}):?(\d{2})|([zZ]))?\s*$/.exec(
      text,
    );
  if (!match) return undefined;
  const [, year, month, day, hours, minutes, seconds, sign, zoneHours, zoneMinutes, greenwich] = match;
  let offset = greenwich ? 0 : zone;
  if (sign) offset = (Number(zoneHours) * 3600 + Number(zoneMinutes) * 60) * (sign === "-" ? -1 : 1);
  const instant = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hours ?? 0),
    Number(minutes ?? 0),
    Number(seconds ?? 0),
  );
  return new AbsTime(instant / 1000 - offset, offset);
}

/** `1+02:03:04`, `03:04`, `1d2h3m4s`, or a number of seconds. */
export function parseRelTime(text: string): RelTime | undefined {
  const clock = /^\s*(-?)(?:(\d+)\+)?(?:(?:(\d{1,6}):)?(\d{1,6}):)?(\d{1,9}(?:\.\d+)?)\s*$/.exec(text);
  const units = /^\s*(-?)(?:(\d+)\s*d)?\s*(?:(\d+)\s*h)?\s*(?:(\d+)\s*m)?\s*(?:(\d+(?:\.\d+)?)\s*s?)?\s*$/i.exec(text);
  const match = clock ?? units;
  if (!match || text.trim() === "" || text.trim() === "-") return undefined;
  const [, sign, days, hours, minutes, seconds] = match;
  const total =
    Number(days ?? 0) * 86400 + Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
  return new RelTime(sign ? -total : total);
}

/** A number, or the seconds of a time. */
function secondsOf(value: Value): number | undefined {
  return value instanceof AbsTime || value instanceof RelTime ? value.seconds : numberOf(value);
}

function absTime(values: readonly Value[], frame: Frame): Value {
  const [time, zone] = values;
  if (values.length === 0) {
    const current = now(frame);
    return current === undefined ? undefined : new AbsTime(current, localZone(frame));
  }
  if (values.includes(ERROR)) return ERROR;
  if (time === undefined) return undefined;
  if (typeof time === "string") return values.length === 1 ? (parseAbsTime(time, localZone(frame)) ?? ERROR) : ERROR;
  if (time instanceof AbsTime && values.length === 1) return time;
  const seconds = secondsOf(time);
  const offset = values.length > 1 ? secondsOf(zone) : localZone(frame);
  return seconds === undefined || offset === undefined ? ERROR : new AbsTime(Math.trunc(seconds), Math.trunc(offset));
}

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

/** The ANSI C codes of strftime, in the C locale. */
export function formatTime(seconds: number, format: string, zone: number): string | undefined {
  const date = new Date((seconds + zone) * 1000);
  if (Number.isNaN(date.getTime())) return undefined;
  const two = (value: number, fill = "0") => String(value).padStart(2, fill);
  const dayOfYear = Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000);
  const weekday = date.getUTCDay();
  const hours = date.getUTCHours();
  const time = `${two(hours)}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
  const codes: Readonly<Record<string, () => string>> = {
    a: () => days[weekday]!.slice(0, 3),
    A: () => days[weekday]!,
    b: () => months[date.getUTCMonth()]!.slice(0, 3),
    B: () => months[date.getUTCMonth()]!,
    c: () =>
      `${days[weekday]!.slice(0, 3)} ${months[date.getUTCMonth()]!.slice(0, 3)} ${two(date.getUTCDate(), " ")} ${time} ${date.getUTCFullYear()}`,
    d: () => two(date.getUTCDate()),
    H: () => two(hours),
    I: () => two(hours % 12 || 12),
    j: () => String(dayOfYear + 1).padStart(3, "0"),
    m: () => two(date.getUTCMonth() + 1),
    M: () => two(date.getUTCMinutes()),
    p: () => (hours < 12 ? "AM" : "PM"),
    s: () => String(Math.trunc(seconds)),
    S: () => two(date.getUTCSeconds()),
    U: () => two(Math.floor((dayOfYear + 7 - weekday) / 7)),
    w: () => String(weekday),
    W: () => two(Math.floor((dayOfYear + 7 - ((weekday + 6) % 7)) / 7)),
    x: () => `${two(date.getUTCMonth() + 1)}/${two(date.getUTCDate())}/${two(date.getUTCFullYear() % 100)}`,
    X: () => time,
    y: () => two(date.getUTCFullYear() % 100),
    Y: () => String(date.getUTCFullYear()),
    Z: () => (zone === 0 ? "UTC" : `${zone < 0 ? "-" : "+"}${two(Math.floor(Math.abs(zone) / 3600))}`),
    "%": () => "%",
  };
  return format.replace(/%(.)/gs, (whole, code: string) => (Object.hasOwn(codes, code) ? codes[code]!() : whole));
}

/** 67 → "1:07", 1472523 → "17+01:02:03". */
function interval(seconds: number): string {
  const whole = Math.trunc(Math.abs(seconds));
  const two = (value: number) => String(value).padStart(2, "0");
  const sign = seconds < 0 && whole > 0 ? "-" : "";
  const [d, h, m, s] = [
    Math.floor(whole / 86400),
    Math.floor(whole / 3600) % 24,
    Math.floor(whole / 60) % 60,
    whole % 60,
  ];
  if (d > 0) return `${sign}${d}+${two(h)}:${two(m)}:${two(s)}`;
  if (h > 0) return `${sign}${h}:${two(m)}:${two(s)}`;
  return m > 0 ? `${sign}${m}:${two(s)}` : `${sign}${s}`;
}

interface Parts {
  ofInstant?: (date: Date) => number;
  ofSpan?: (seconds: number) => number;
}

function part(name: string, { ofInstant, ofSpan }: Parts): BuiltIn {
  return ofValues(name, 1, 1, ([value]) => {
    if (value instanceof AbsTime && ofInstant) return ofInstant(new Date((value.seconds + value.offset) * 1000));
    if (value instanceof RelTime && ofSpan) return Math.trunc(ofSpan(value.seconds)) + 0;
    return ERROR;
  });
}

function splitTime(value: Value): Value {
  if (value instanceof AbsTime && Math.abs(value.seconds) < 8.6e12) {
    const date = new Date((value.seconds + value.offset) * 1000);
    return recordOf({
      Type: "AbsoluteTime",
      Year: date.getUTCFullYear(),
      Month: date.getUTCMonth() + 1,
      Day: date.getUTCDate(),
      Hours: date.getUTCHours(),
      Minutes: date.getUTCMinutes(),
      Seconds: date.getUTCSeconds(),
      Offset: value.offset,
    });
  }
  if (!(value instanceof RelTime)) return ERROR;
  const total = value.seconds;
  return recordOf({
    Type: "RelativeTime",
    Days: Math.trunc(total / 86400),
    Hours: Math.trunc(total / 3600) % 24,
    Minutes: Math.trunc(total / 60) % 60,
    Seconds: new Real(total % 60),
  });
}

function recordOf(values: Readonly<Record<string, string | number | Real>>): Ad {
  return new Ad(Shape.of(Object.keys(values)), Object.values(values), undefined);
}

export const times: readonly BuiltIn[] = [
  ofValues("time", 0, 0, (_, frame) => now(frame)),
  ofValues("absTime", 0, 2, absTime),
  ofDefined("relTime", (value) => {
    if (typeof value === "string") return parseRelTime(value) ?? ERROR;
    if (value instanceof RelTime) return value;
    const seconds = typeof value === "boolean" ? undefined : secondsOf(value);
    return seconds === undefined ? ERROR : new RelTime(seconds);
  }),
  ofValues("formatTime", 0, 2, (values, frame) => {
    const time = values.length > 0 ? values[0] : now(frame);
    const format = values.length > 1 ? values[1] : "%c";
    if (time === undefined && values.length === 0) return undefined;
    const seconds = time instanceof AbsTime ? time.seconds : typeof time === "boolean" ? undefined : numberOf(time);
    if (seconds === undefined || typeof format !== "string") return ERROR;
    return formatTime(seconds, format, localZone(frame)) ?? ERROR;
  }),
  ofValues("interval", 1, 1, ([seconds]) => {
    const number = secondsOf(seconds) ?? (typeof seconds === "string" ? leadingNumber(seconds)?.value : undefined);
    return number === undefined ? ERROR : interval(number);
  }),
  ofValues("timezoneOffset", 0, 0, (_, frame) => new RelTime(localZone(frame))),
  ofValues("dayTime", 0, 0, (_, frame) => {
    const current = now(frame);
    return current === undefined ? undefined : new RelTime((((current + localZone(frame)) % 86400) + 86400) % 86400);
  }),
  part("getYear", { ofInstant: (date) => date.getUTCFullYear() }),
  part("getMonth", { ofInstant: (date) => date.getUTCMonth() + 1 }),
  part("getDayOfYear", {
    ofInstant: (date) => Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000),
  }),
  part("getDayOfMonth", { ofInstant: (date) => date.getUTCDate() }),
  part("getDayOfWeek", { ofInstant: (date) => date.getUTCDay() }),
  part("getDays", { ofSpan: (seconds) => seconds / 86400 }),
  part("getHours", { ofInstant: (date) => date.getUTCHours(), ofSpan: (seconds) => (seconds / 3600) % 24 }),
  part("getMinutes", { ofInstant: (date) => date.getUTCMinutes(), ofSpan: (seconds) => (seconds / 60) % 60 }),
  part("getSeconds", { ofInstant: (date) => date.getUTCSeconds(), ofSpan: (seconds) => seconds % 60 }),
  ofDefined("splitTime", (value, frame) => {
    const number = typeof value === "boolean" ? undefined : numberOf(value);
    return splitTime(number === undefined ? value : new AbsTime(Math.trunc(number), localZone(frame)));
  }),
];
