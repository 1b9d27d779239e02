// The methods of times and of the numbers of a message.

import { formatTime } from "../../mapping/time-layouts.ts";
import { zoneNamed } from "../../mapping/zones.ts";
import { civilTime } from "../../message/timestamp.ts";
import { type SourceNumber, Timestamp } from "../../message/value.ts";
import { dayOfYear } from "../../text/calendar.ts";
import { floatOfText, integerOfText } from "./casts.ts";
import { Float, failure, int, int64, type TemplateFunction, type TemplateValue } from "./values.ts";

function returning(value: () => TemplateValue): TemplateFunction {
  return { takes: "", call: value };
}

/** Returns a method of a number of the message. */
export function numberMethod(number: SourceNumber, name: string): TemplateFunction | undefined {
  const text = number.toString();
  switch (name) {
    case "String":
      return returning(() => text);
    case "Int64":
      return returning(() => {
        const value = /^[+-]?[0-9]+$/.test(text) ? integerOfText(text) : undefined;
        if (value === undefined) throw failure(`\`${text}\` is not an int64`);
        return int64(value);
      });
    case "Float64":
      return returning(() => {
        const value = floatOfText(text);
        if (value === undefined) throw failure(`\`${text}\` is out of range`);
        return new Float(value);
      });
    default:
      return undefined;
  }
}

/** Returns a method of a time. */
export function timeMethod(time: Timestamp, name: string): TemplateFunction | undefined {
  const parts = () => civilTime(time);
  const nanoseconds = () => time.seconds() * 1_000_000_000n + BigInt(time.nanoseconds());
  switch (name) {
    case "Format":
      return { takes: "string", call: (layout: string) => formatTime(time, layout) };
    case "String":
      return returning(() => formatTime(time, "2006-01-02 15:04:05.999999999 -0700 MST"));
    case "Unix":
      return returning(() => int64(time.seconds()));
    case "UnixMilli":
      return returning(() => int64(nanoseconds() / 1_000_000n));
    case "UnixMicro":
      return returning(() => int64(nanoseconds() / 1000n));
    case "UnixNano":
      return returning(() => int64(nanoseconds()));
    case "Year":
      return returning(() => int(parts().year));
    case "Day":
      return returning(() => int(parts().day));
    case "Hour":
      return returning(() => int(parts().hour));
    case "Minute":
      return returning(() => int(parts().minute));
    case "Second":
      return returning(() => int(parts().second));
    case "Nanosecond":
      return returning(() => int(time.nanoseconds()));
    case "YearDay":
      return returning(() => int(dayOfYear(parts())));
    case "Month":
      return returning(() => formatTime(time, "January"));
    case "Weekday":
      return returning(() => formatTime(time, "Monday"));
    case "UTC":
      return returning(() => new Timestamp(time.seconds(), time.nanoseconds(), "UTC"));
    case "Local":
      return returning(() => new Timestamp(time.seconds(), time.nanoseconds(), zoneNamed("Local")));
    case "IsZero":
      return returning(() => time.seconds() === -62_135_596_800n && time.nanoseconds() === 0);
    default:
      return undefined;
  }
}
