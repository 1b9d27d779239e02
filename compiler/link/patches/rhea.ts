// Patches rhea: a message that cannot be decoded fails alone, 64-bit integers stay exact, and each message has its own outcome.
// Unpatched, an unreadable message ends the connection and is then delivered again, and of two messages that are settled in one
// turn the second has the outcome of the first, so that a refused one is lost.

import type { Plugin } from "esbuild";
import { type FilePatch, sourcePatch } from "./source-patch.ts";

/** Maximum number of values in the lists, maps and arrays of one message. */
const mostValues = 1_000_000;
/** Maximum number of values up to the end of an array whose values take no bytes, such as `null` and `true`. */
const mostEmptyValues = 65_536;

/** Patches for rhea 3.0.5. */
const patches: readonly FilePatch[] = [
  {
    file: "lib/message.js",
    about: "the decoder of messages",
    edits: [
      {
        original: "message.decode = function(buffer) {",
        replacement: `message.decode = function(buffer) {
    try {
        return decode_sections(buffer);
    } catch (error) {
        return { unreadable: error };
    }
};

function decode_sections(buffer) {`,
      },
      // The warnings that the client writes to the console would quote the message.
      {
        original:
          "console.warn('WARNING: did not recognise message section with descriptor ' + s.descriptor);",
        replacement: "throw new TypeError('the section is unknown');",
      },
      {
        original: "console.warn('WARNING: expected described message section got ' + JSON.stringify(s));",
        replacement: "throw new TypeError('a section has no descriptor');",
      },
    ],
  },
  {
    file: "lib/session.js",
    about: "the receiver of transfers, and the outcomes of one turn",
    edits: [
      // Outcomes of one turn are sent as ranges. The second of a range got the outcome of the first, whatever its own was.
      {
        original: "(first !== last && !message.are_outcomes_equivalent(last.state, delivery.state))",
        replacement: "(delivery !== first && !message.are_outcomes_equivalent(last.state, delivery.state))",
      },
      // A message, or the first of its frames, may be empty.
      {
        original: "'frames': [frame.payload],",
        replacement: "'frames': [frame.payload ?? Buffer.alloc(0)],",
      },
      // Other message formats consist of the same sections.
      {
        original:
          "current.format === 0 ? {'message':message.decode(data), 'delivery':current} : {'message':data, 'delivery':current, 'format':current.format}",
        replacement: "{'message':message.decode(data), 'delivery':current}",
      },
    ],
  },
  {
    file: "lib/types.js",
    about: "the readers of values",
    edits: [
      // The client returns integers beyond 53 bits as their eight bytes, and some of them as the nearest number.
      {
        original: `        return hi * MAX_UINT + lo;
    } else {
        return buffer.slice(offset, offset + 8);
    }
}

function write_long(`,
        replacement: `        return exact_integer(hi * MAX_UINT + lo, buffer.readBigUInt64BE(offset));
    } else {
        return buffer.readBigUInt64BE(offset);
    }
}

function exact_integer(number, value) {
    return Number.isSafeInteger(number) ? number : value;
}

function write_long(`,
      },
      {
        original: `        return hi * MAX_UINT + lo;
    } else {
        return buffer.slice(offset, offset + 8);
    }
}

function read_timestamp(buffer, offset) {
    const l = read_long(buffer, offset);
    return new Date(l);`,
        replacement: `        return exact_integer(hi * MAX_UINT + lo, buffer.readBigInt64BE(offset));
    } else {
        return buffer.readBigInt64BE(offset);
    }
}

function read_timestamp(buffer, offset) {
    const l = read_long(buffer, offset);
    return new Date(Number(l));`,
      },
      // A message of ten bytes may declare four billion values, and each becomes an object of some fifty bytes.
      {
        original: "types.Reader.prototype.read_array_items = function (n, type) {",
        replacement: `function count_values(reader, n, most) {
    reader.values = (reader.values ?? 0) + n;
    if (n > most || reader.values > ${mostValues}) throw new errors.TypeError('there are too many values');
}

types.Reader.prototype.read_array_items = function (n, type) {
    count_values(this, n, type.width === 0 ? ${mostEmptyValues} - (this.values ?? 0) : this.remaining());`,
      },
      {
        original: "    var items = new Array(n);",
        replacement: "    count_values(this, n, this.remaining());\n    var items = new Array(n);",
      },
    ],
  },
];

/** Returns an esbuild plugin that patches rhea in every bundle that contains it. */
export function rheaPatch(): Plugin {
  return sourcePatch("rhea", patches);
}
