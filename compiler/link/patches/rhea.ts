// Patches rhea: a message that cannot be decoded fails alone, 64-bit integers stay exact, each message has its own outcome, aborted
// messages are discarded, and the numbers of messages may begin anywhere and wrap.
// Unpatched, an unreadable message ends the connection and is then delivered again, and of two messages that are settled in one
// turn the second has the outcome of the first, so that a refused one is lost.

import type { Plugin } from "esbuild";
import { type FilePatch, sourcePatch } from "./source-patch.ts";

/** Maximum number of values in the lists, maps and arrays of one message. */
const mostValues = 1_000_000;
/** Maximum number of values up to the end of an array whose values take no bytes, such as `null` and `true`. */
const mostEmptyValues = 65_536;

/**
 * Numbers of deliveries and transfers continue with 0 after 2^32 - 1, and a peer may begin with any of them. The client
 * itself ends the connection there, or waits forever. Ranges of them are limited to what is unsettled: a broker may name four
 * billion at once.
 */
const wrappedNumbers: FilePatch["edits"] = [
  {
    original: "var gap = id - this.entries[this.head].id;",
    replacement: "var gap = (id - this.entries[this.head].id) >>> 0;",
  },
  {
    original: "CircularBuffer.prototype.get_head =",
    replacement: `CircularBuffer.prototype.between = function* (first, last) {
    if (this.size === 0) return;
    var head = this.entries[this.head].id;
    var end = Math.min((last - head) | 0, this.size - 1);
    for (var i = Math.max((first - head) | 0, 0); i <= end; i++) yield this.entries[(this.head + i) % this.capacity];
};

CircularBuffer.prototype.get_head =`,
  },
  {
    original: `    var last = fields.last ? fields.last : fields.first;
    for (var i = fields.first; i <= last; i++) {
        var d = this.deliveries.by_id(i);
        if (d && !d.remote_settled) {`,
    replacement: `    for (const d of this.deliveries.between(fields.first, fields.last ?? fields.first)) {
        if (!d.remote_settled) {`,
    times: 2,
  },
  { original: "            next_id++;\n", replacement: "            next_id = (next_id + 1) >>> 0;\n" },
  { original: "'id':this.next_delivery_id++,", replacement: "'id':this.next_delivery_id++ >>> 0," },
  {
    original: "            this.next_delivery_id++;\n",
    replacement: "            this.next_delivery_id = (this.next_delivery_id + 1) >>> 0;\n",
  },
  {
    original: "this.remote_window - (this.next_transfer_id - this.remote_next_transfer_id);",
    replacement:
      "this.remote_window - ((this.next_transfer_id - (this.remote_next_transfer_id ?? 0)) >>> 0);",
  },
  { original: "                    this.window -= num_to_send;\n", replacement: "" },
  {
    original: "if (this.max_transfer_id - this.next_transfer_id <",
    replacement: "if (((this.max_transfer_id - this.next_transfer_id) | 0) <",
  },
  {
    original: `    this.next_transfer_id = fields.next_outgoing_id;
    this.remote_window = fields.outgoing_window;
`,
    replacement: `    this.next_transfer_id = fields.next_outgoing_id;
    this.max_transfer_id = this.next_transfer_id + this.window;
    this.remote_window = fields.outgoing_window;
`,
  },
  {
    original: "fields.delivery_count = link.delivery_count;",
    replacement: "fields.delivery_count = link.delivery_count >>> 0;",
  },
];

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
      // An aborted message is settled. It used credit, which its receiver issues again.
      {
        original: "        current.incomplete = frame.performative.more;\n",
        replacement: `        if (frame.performative.aborted) {
            receiver._incomplete = undefined;
            current.settled = current.remote_settled = true;
            delete current.frames;
            receiver.delivery_count++;
            receiver.credit--;
            receiver.add_credit(1);
            return;
        }
        current.incomplete = frame.performative.more;
`,
      },
      ...wrappedNumbers,
    ],
  },
  {
    file: "lib/link.js",
    about: "the number of messages of a link",
    edits: [
      // A broker may begin at any number: RabbitMQ 4 begins five before the end. Otherwise it takes the difference for credit.
      {
        original: "        this.remote.attach = frame.performative;\n        this.open();\n",
        replacement: `        this.remote.attach = frame.performative;
        if (this.is_receiver()) this.delivery_count = frame.performative.initial_delivery_count ?? 0;
        this.open();
`,
      },
      {
        original: "flow.delivery_count + flow.link_credit - this.delivery_count;",
        replacement: "flow.link_credit - ((this.delivery_count - (flow.delivery_count ?? 0)) >>> 0);",
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
