// The proleptic Gregorian calendar without limits, in days since 1970-01-01.

/** A day of the calendar. */
export interface CalendarDate {
  readonly year: number;
  /** 1 … 12. */
  readonly month: number;
  readonly day: number;
}

const daysPerEra = 146_097;
const yearsPerEra = 400;
/** Days from 0000-03-01, where the eras of this file begin, to 1970-01-01. */
const epoch = 719_468;

/** Returns the number of a day. Out-of-range months and days carry over into the next or previous ones. */
export function dayNumber(year: number, month: number, day: number): number {
  // Count years from March, so that the leap day is the last day of a year.
  const months = year * 12 + month - 3;
  const marchYear = Math.floor(months / 12);
  const era = Math.floor(marchYear / yearsPerEra);
  const yearOfEra = marchYear - era * yearsPerEra;
  const dayOfYear = Math.floor((153 * (months - marchYear * 12) + 2) / 5) + day - 1;
  const leapDays = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100);
  return era * daysPerEra + yearOfEra * 365 + leapDays + dayOfYear - epoch;
}

/** Returns the day with the given number. */
export function dateOf(number: number): CalendarDate {
  const days = number + epoch;
  const era = Math.floor(days / daysPerEra);
  const dayOfEra = days - era * daysPerEra;
  const leapDays =
    Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const dayOfYear = dayOfEra - (yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return {
    year: era * yearsPerEra + yearOfEra + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1,
  };
}

/** Returns the day of the year, 1 … 366. */
export function dayOfYear({ year, month, day }: CalendarDate): number {
  return dayNumber(year, month, day) - dayNumber(year, 1, 0);
}

/** Returns the number of days in a month, 28 … 31. */
export function daysInMonth(year: number, month: number): number {
  return dayNumber(year, month + 1, 1) - dayNumber(year, month, 1);
}

/** Returns the weekday of a day number; 0 is Sunday. */
export function weekdayOf(number: number): number {
  return (((number + 4) % 7) + 7) % 7;
}
