import { test } from "uvu";
import * as assert from "uvu/assert";
import {
  parseDuration,
  parseDurationIso8601,
  timestamp,
  tsAddIso8601,
  tsFormat,
  tsParse,
  tsRound,
  tsStrftime,
  tsStrptime,
  tsSub,
  tsSubIso8601,
  tsTz,
  tsUnix,
  tsUnixMicro,
  tsUnixMilli,
  tsUnixNano,
} from "../../../runtime/mapping/timestamps.ts";
import { formatTimestamp } from "../../../runtime/message/timestamp.ts";
import { Timestamp, type Value } from "../../../runtime/message/value.ts";

test.before.each(() => {
  process.env.TZ = "UTC";
});

const at = (text: string) => timestamp(text, "");
const parsed = (layout: string, text: string) => formatTimestamp(tsParse(text, "", layout));
const read = (format: string, text: string) => formatTimestamp(tsStrptime(text, "", format));
const failure = (action: () => unknown) => {
  try {
    action();
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
  return "nothing thrown";
};

test("every element of a layout is formatted", () => {
  const time = new Timestamp(-62_135_596_800n + 3_723n, 50_000_000, "UTC");
  const formats: Readonly<Record<string, string>> = {
    "2006 06 01 1 Jan January 02 _2 2 002 __2": "0001 01 01 1 Jan January 01  1 1 001   1",
    "Mon Monday 15 03 3 04 4 05 5 PM pm": "Mon Monday 01 01 1 02 2 03 3 AM am",
    "-0700 -07:00 -07 -070000 -07:00:00": "+0000 +00:00 +00 +000000 +00:00:00",
    "Z0700 Z07:00 Z07 Z070000 Z07:00:00 MST": "Z Z Z Z Z UTC",
    "05.000 05,000 05.999 05,9 05.000000": "03.050 03,050 03.05 03 03.050000",
    "_2006 January2 Months 0 9 .0001": "_0001 January1 Months 0 9 .0001",
    "": "",
  };
  for (const [layout, expected] of Object.entries(formats)) assert.is(tsFormat(time, "", layout), expected);
});

test("zones have their offset and name at the instant", () => {
  const layout = "2006-01-02 15:04 MST -07:00";
  const cases: readonly (readonly [time: Value, zone: string, expected: string])[] = [
    [1597405526, "America/New_York", "2020-08-14 07:45 EDT -04:00"],
    [1610000000, "America/New_York", "2021-01-07 01:13 EST -05:00"],
    [1597405526, "Europe/Berlin", "2020-08-14 13:45 CEST +02:00"],
    [1597405526, "Asia/Kathmandu", "2020-08-14 17:30 +0545 +05:45"],
    [1597405526, "America/Sao_Paulo", "2020-08-14 08:45 -03 -03:00"],
    [-6e10, "Europe/Berlin", "0068-09-03 14:13 LMT +00:53"],
    // Beyond the range of Date, zones still have their summers and winters.
    [8.64e12 + 1, "Australia/Sydney", "275760-09-13 10:00 AEST +10:00"],
    [1e13, "Europe/Berlin", "318857-05-20 19:46 CEST +02:00"],
    [1e13 + 15e6, "Europe/Berlin", "318857-11-10 09:26 CET +01:00"],
    [-9e13, "Europe/Berlin", "-2850017-07-15 08:53 LMT +00:53"],
  ];
  for (const [time, zone, expected] of cases) assert.is(tsFormat(time, "", layout, zone), expected);
  assert.is(
    failure(() => tsTz(0, "", "europe/berlin")),
    "failed to parse timezone location name: unknown time zone europe/berlin",
  );
  assert.is(formatTimestamp(tsTz(0, "", "Local")), "1970-01-01T00:00:00Z");
});

test("numbers are seconds, formatted in the zone of the process", () => {
  process.env.TZ = "America/New_York";
  assert.is(tsFormat(1597405526, "", "15:04 MST"), "07:45 EDT");
  assert.is(tsFormat("2020-08-14T11:45:26Z", "", "15:04 MST"), "11:45 UTC");
  assert.is(tsFormat("2020-08-14T07:45:26-04:00", "", "15:04 MST"), "07:45 EDT");
  assert.is(parsed("15:04 MST", "12:00 EST"), "0000-01-01T12:03:58-04:56");
  process.env.TZ = "UTC";
  assert.is(tsFormat(-1.5, "", "15:04:05.999"), "23:59:58.5");
  assert.is(tsFormat(1597405526.123456, "", "05.999999"), "26.123456");
});

test("times are parsed as leniently as in Go", () => {
  assert.is(
    parsed("2006-01-02T15:04:05Z07:00", "2020-02-29T01:02:03.123456789987+05:30"),
    "2020-02-29T01:02:03.123456789+05:30",
  );
  assert.is(parsed("Jan _2 06 3:04pm", "feb  9 69 12:05am"), "1969-02-09T00:05:00Z");
  assert.is(parsed("15:04 MST", "10:00 PST"), "0000-01-01T10:00:00Z");
  assert.is(parsed("2006-002", "2020-366"), "2020-12-31T00:00:00Z");
  assert.is(tsFormat(tsParse("10:00 CEST", "", "15:04 MST"), "", "MST -0700"), "CEST +0000");
});

test("invalid times are rejected with the reference's texts", () => {
  const cases: readonly (readonly [layout: string, text: string, expected: string])[] = [
    ["2006-01-02", "2020-13-01", 'parsing time "2020-13-01": month out of range'],
    ["2006-01-02", "2021-02-29", 'parsing time "2021-02-29": day out of range'],
    ["2006-01-02", "2021-02-28x", 'parsing time "2021-02-28x": extra text: "x"'],
    ["2006", "20é", 'parsing time "20\\xc3\\xa9" as "2006": cannot parse "20\\xc3\\xa9" as "2006"'],
    ["2006-002", "2021-366", 'parsing time "2021-366": day-of-year out of range'],
  ];
  for (const [layout, text, expected] of cases)
    assert.is(
      failure(() => parsed(layout, text)),
      expected,
    );
  assert.is(
    failure(() => tsUnix(null, "")),
    "expected number or string value, got null",
  );
  assert.is(
    failure(() => timestamp(true, "field `this.a`")),
    "expected number or string value, got bool from field `this.a` (true)",
  );
  assert.is(timestamp("x", "", 5).seconds(), 5n);
});

test("strftime supports flags, widths and weeks", () => {
  const time = at("2024-12-30T00:05:06.789Z");
  const formats: Readonly<Record<string, string>> = {
    "%Y %y %C %G %g %m %d %e %j": "2024 24 20 2025 25 12 30 30 365",
    "%H %I %k %l %M %S %f %p %P %s": "00 12  0 12 05 06 789000 AM am 1735517106",
    "%V %U %W %u %w %a %A %b %B %h": "01 52 53 1 1 Mon Monday Dec December Dec",
    "%-m %_H %^a %#a %#p %6Y %-e %05d %8b": "12  0 MON MON am 002024 30 00030      Dec",
    "%F %D %T %R %r %c": "2024-12-30 12/30/24 00:05:06 00:05 12:05:06 AM Mon Dec 30 00:05:06 2024",
    "%z %:z %::z %:::z %Z %n%t%%": "+0000 +00:00 +00:00:00 +00 UTC \n\t%",
    "%Q %5Q % %": "%Q   %5Q % %",
  };
  for (const [format, expected] of Object.entries(formats)) assert.is(tsStrftime(time, "", format), expected);
});

test("strptime parses what strftime formats", () => {
  assert.is(read("%Y-%b-%d %H:%M:%S.%f", "2020-Aug-14 11:50:26.371"), "2020-08-14T11:50:26.371Z");
  assert.is(read("%y %j", "68 060"), "2068-02-29T00:00:00Z");
  assert.is(read("%G-W%V-%u", "2020-W53-7"), "2021-01-03T00:00:00Z");
  assert.is(read("%Y %U %a", "2021 01 sun"), "2021-01-03T00:00:00Z");
  assert.is(read("%F %I %p %z", "2021-01-03 12 am -03:30"), "2021-01-03T00:00:00-03:30");
  assert.is(read("%s", "1597405526"), "2020-08-14T11:45:26Z");
  assert.is(
    failure(() => read("%Y", "20x")),
    'failed to parse "20x" with "%Y": unparsed string "x"',
  );
  assert.is(
    failure(() => read("%Y%Q", "2020")),
    'failed to parse "2020" with "%Y%Q": unexpected format "%Q"',
  );
});

test("durations are integer nanoseconds within int64", () => {
  assert.is(parseDuration("-1.5h", ""), -5_400_000_000_000);
  assert.is(parseDuration("1h2m3s4ms5us6ns", ""), 3_723_004_005_006);
  assert.is(parseDuration("-9223372036854775808ns", ""), -9223372036854775808n);
  assert.is(
    failure(() => parseDuration("9223372036854775808ns", "")),
    'time: invalid duration "9223372036854775808ns"',
  );
  assert.is(
    failure(() => parseDuration("5", "")),
    'time: missing unit in duration "5"',
  );
  assert.is(parseDurationIso8601("-P1W2DT0.5S", ""), -777_600_500_000_000);
  assert.is(
    failure(() => parseDurationIso8601("P1.5DT1S", "")),
    "P1.5DT1S: 'D' & 'S' only the last field can have a fraction",
  );
});

test("timestamps support calendar arithmetic, rounding and comparison", () => {
  assert.is(formatTimestamp(tsAddIso8601("2024-01-31T00:00:00Z", "", "P1M")), "2024-03-02T00:00:00Z");
  assert.is(formatTimestamp(tsSubIso8601("2024-02-29T00:00:00Z", "", "P1YT1H")), "2023-02-28T23:00:00Z");
  const beforeChange = tsTz("2024-03-30T12:00:00Z", "", "Europe/Berlin");
  assert.is(formatTimestamp(tsAddIso8601(beforeChange, "", "P1D")), "2024-03-31T13:00:00+02:00");
  assert.is(formatTimestamp(tsAddIso8601(beforeChange, "", "PT24H")), "2024-03-31T14:00:00+02:00");
  assert.is(formatTimestamp(tsRound("2020-08-14T05:54:30Z", "", 60_000_000_000)), "2020-08-14T05:55:00Z");
  assert.is(formatTimestamp(tsRound(-90, "", 60_000_000_000)), "1969-12-31T23:59:00Z");
  assert.is(tsSub("2020-01-01T00:00:00Z", "", 0), 1_577_836_800_000_000_000n);
  assert.is(tsSub("9999-01-01T00:00:00Z", "", 0), 9223372036854775807n);
});

test("unix times are rounded down", () => {
  assert.is(tsUnix(-0.5, ""), -1);
  assert.is(tsUnixMilli("1969-12-31T23:59:59.9995Z", ""), -1);
  assert.is(tsUnixMicro("2020-08-14T11:45:26.123456789Z", ""), 1_597_405_526_123_456);
  assert.is(tsUnixNano("2020-08-14T11:45:26.123456789Z", ""), 1_597_405_526_123_456_789n);
});

test.run();
