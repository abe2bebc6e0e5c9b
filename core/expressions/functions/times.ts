/** Instants and spans of time. The clock and the local zone come from the evaluation's surroundings. */
import { Ad, Shape } from "../ad";
import { AbsTime, ERROR, type Frame, numberOf, Real, RelTime, type Value } from "../value";
import { toInteger } from "./convert";
import { type BuiltIn, ofDefined, ofValues } from "./define";
import { formatTime } from "./format-time";

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

/** A number that is meant as seconds; a truth value is none. */
const plainSeconds = (value: Value): number | undefined => (typeof value === "boolean" ? undefined : secondsOf(value));

/** As far as a calendar reaches; beyond that a time is ERROR, where HTCondor shows what is left of it in 32 bits. */
const lastSecond = 8.64e12;

function absTime(values: readonly Value[], frame: Frame): Value {
  const [time, zone] = values;
  if (values.length === 0) {
    const current = now(frame);
    return current === undefined ? undefined : new AbsTime(current, localZone(frame));
  }
  if (values.includes(ERROR)) return ERROR;
  if (time === undefined) return values.length === 1 || plainSeconds(zone) !== undefined ? undefined : ERROR;
  if (typeof time === "string") return values.length === 1 ? (parseAbsTime(time, localZone(frame)) ?? ERROR) : ERROR;
  // An instant keeps the zone it has.
  if (time instanceof AbsTime) return values.length === 1 || plainSeconds(zone) !== undefined ? time : ERROR;
  const seconds = plainSeconds(time);
  const offset = values.length > 1 ? plainSeconds(zone) : localZone(frame);
  if (seconds === undefined || offset === undefined) return ERROR;
  if (!(Math.abs(seconds) + Math.abs(offset) < lastSecond)) return ERROR;
  return new AbsTime(Math.trunc(seconds), Math.trunc(offset));
}

/** 67 → "1:07", 1472523 → "17+01:02:03". Seconds are a number of 32 bits, as in HTCondor: 68 years are the most. */
function interval(value: number | bigint): string {
  const seconds = Number(BigInt.asIntN(32, BigInt(value)));
  const whole = Math.abs(seconds);
  const two = (part: number) => String(part).padStart(2, "0");
  const sign = seconds < 0 ? "-" : "";
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

/** Of an instant HTCondor tells the parts in Greenwich, though it prints the instant in its own zone. */
function part(name: string, { ofInstant, ofSpan }: Parts): BuiltIn {
  return ofValues(name, 1, 1, ([value]) => {
    if (value instanceof AbsTime && ofInstant) return ofInstant(new Date(value.seconds * 1000));
    if (value instanceof RelTime && ofSpan) return Math.trunc(ofSpan(value.seconds)) + 0;
    return ERROR;
  });
}

function splitTime(value: Value): Value {
  if (value instanceof AbsTime && Math.abs(value.seconds) + Math.abs(value.offset) < lastSecond) {
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
    const seconds = plainSeconds(value);
    return seconds === undefined || !Number.isFinite(seconds) ? ERROR : new RelTime(seconds);
  }),
  ofValues("formatTime", 0, 2, (values, frame) => {
    const time = values.length > 0 ? values[0] : now(frame);
    const format = values.length > 1 ? values[1] : "%c";
    if (time === undefined && values.length === 0) return undefined;
    const seconds = time instanceof RelTime ? undefined : plainSeconds(time);
    if (seconds === undefined || typeof format !== "string") return ERROR;
    const zone = time instanceof AbsTime ? time.offset : localZone(frame);
    return formatTime(Math.trunc(seconds), format, zone) ?? ERROR;
  }),
  ofValues("interval", 1, 1, ([seconds]) => {
    const whole = seconds === undefined ? ERROR : toInteger(seconds);
    return typeof whole === "number" || typeof whole === "bigint" ? interval(whole) : ERROR;
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
