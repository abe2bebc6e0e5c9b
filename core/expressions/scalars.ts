/** The values that need a class of their own because JavaScript has none like them. */

export class Real {
  constructor(readonly value: number) {}
}
/** An instant: seconds since 1970 in UTC, and the offset from Greenwich it is to be shown with. */
export class AbsTime {
  constructor(
    readonly seconds: number,
    readonly offset: number,
  ) {}
}
/** A span of time in seconds. */
export class RelTime {
  constructor(readonly seconds: number) {}
}
export class ErrorValue {
  readonly error = true;
}
/** The one ERROR value. */
export const ERROR = new ErrorValue();
