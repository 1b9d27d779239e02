import { test } from "uvu";
import * as assert from "uvu/assert";
import { certainFault } from "../../compiler/check/document/rules/formats.ts";
import { type Format, faultOf } from "../../schemas/formats/format.ts";
import { formats } from "../../schemas/formats/formats.ts";

interface Samples {
  readonly right: readonly string[];
  readonly wrong: readonly string[];
}

/** What brokers and servers take and refuse. */
const samples: Readonly<Record<string, Samples>> = {
  "redirect-uri": {
    right: [
      "https://a",
      "https://u@a:8443/back?b=c",
      "https://[::1]/",
      "http://localhost:8080/back",
      "http://127.0.0.1",
      "http://[::1]:1/",
      "com.example.app:/back",
      "com.example.app:",
      "HTTPS://A/",
    ],
    wrong: [
      "",
      "/back",
      "a.example.com/back",
      "http://a/back",
      "http://localhost.example.com/",
      "https://",
      "https://a/#back",
      "https://a/b c",
      "app:/back",
      "javascript:alert(1)",
      "https://a:0/",
      `https://a/${"a".repeat(2048)}`,
    ],
  },
  "byte-size": {
    right: ["0", "1MB", "1 MiB", "1.5k", "50MiB", "7b", "2g"],
    wrong: ["", "MB", "-1MB", "1,5MB", "1TB", "1 megabyte", "1.MB"],
  },
  "amqp-address": {
    right: ["amqp://a", "amqp://u:p@a:5672/vhost", "amqps://[::1]:5671/%2F?heartbeat=5", "AMQP://a"],
    wrong: ["a", "a:5672", "http://a", "amqp://", "amqp://a:0", "amqp://a b", "amqp://a:port"],
  },
  "amqp-binding-key": {
    right: ["#", "orders.*", "", "a b"],
    wrong: ["a\n", "a\0", "\ud800", "a".repeat(256)],
  },
  "amqp-exchange": {
    right: ["", "shop", "amq.topic", "käse"],
    wrong: ["amq.rabbitmq.trace", "a\n", "\udc00", "ä".repeat(128)],
  },
  "amqp-literal-key": { right: ["orders.new", ""], wrong: ["*", "orders.#", "a\t", "a".repeat(256)] },
  "amqp-literal-node": {
    right: ["/queue/orders", "orders"],
    wrong: ["", "$management", "/management", "/topic/#", "/topic/*", "a>", "%2A", "a\n", "a".repeat(2049)],
  },
  "amqp-node": { right: ["/exchange/shop/#", "a?b"], wrong: ["", "a\r", "\ud800", "a".repeat(2049)] },
  "amqp-node-part": { right: ["orders", "a b"], wrong: ["", "a/b", "a.b", "*", "#", "%23"] },
  "amqp-short": { right: ["", "a", "ä".repeat(127)], wrong: ["a\0", "\ud800", "a".repeat(256)] },
  "amqp-unreserved-exchange": { right: ["", "shop", "amqx", "a.amq."], wrong: ["amq.topic", "amq.", "a\n"] },
  "amqp-unreserved-node": {
    right: ["/exchange/amq.topic/a", "/management/a", "a$"],
    wrong: ["", "$management", "$cbs", "/management", "a\n"],
  },
  "amqp-word": { right: ["new", "a b"], wrong: ["", "a.b", "*", "#", "a\n"] },
  "file-literal": { right: ["./a/b.txt", "/a"], wrong: ["", "*", "a/../b", "..", "a,b", "[a]", "a\\b"] },
  "file-name": { right: ["a.txt", ".a"], wrong: ["", ".", "..", "a/b", "*", "a,b", "a\n"] },
  "file-path": {
    right: ["a", "./a/b.txt", "/a..b/c", "a/.b", "..a"],
    wrong: ["", "..", "../a", "a/../b", "a/..", "a\\..\\b", "a/", "a\0", "a\nb", "\ud800", "a".repeat(4091)],
  },
  "file-pattern": { right: ["./a/*.txt", "../a"], wrong: ["", "a\n", "a\0"] },
  "kafka-name": { right: ["", "billing", "a b"], wrong: ["a\n", "\ud800", "a".repeat(256)] },
  "kafka-pattern-literal": { right: ["orders_1-a"], wrong: ["", "a.b", "a|b", ".*", "^a", "__a"] },
  "kafka-topic-part": { right: ["", ".", "orders."], wrong: ["a b", "a:0", "a,b", "*"] },
  "kafka-topic-pattern": { right: ["^orders.*", "a:0"], wrong: ["", "a\n", "a\0"] },
  "kafka-unreserved-topic": { right: ["a", "_a", "a__"], wrong: ["__consumer_offsets", "__a", "", "a b"] },
  "kafka-unreserved-topic-pattern": { right: ["^orders.*", "a:0"], wrong: ["__a", "", "a\n"] },
  "kafka-unreserved-topic-selection": { right: ["a:0-3", "_a"], wrong: ["__a", "__a:0", "a:"] },
  "mqtt-unreserved-filter": { right: ["a/#", "#", "/$a"], wrong: ["$SYS/#", "$share/g/a", "$a", "a#"] },
  "mqtt-unreserved-topic": { right: ["a/b", "/$SYS"], wrong: ["$SYS/a", "$share/g/a", "$", "+", ""] },
  "nats-unreserved-filter": {
    right: ["a.>", ">", "a.$b", "_INBOXES.a"],
    wrong: ["$SYS.>", "$JS.API.>", "_INBOX.>", "a b"],
  },
  "nats-unreserved-subject": {
    right: ["a.b", "a.$JS", "_INBOX", "_inbox.a"],
    wrong: ["$JS.API.STREAM.DELETE.A", "$SYS.a", "$KV.a.b", "$", "_INBOX.a", "a b", ""],
  },
  "mqtt-level": { right: ["new", "a b"], wrong: ["", "a/b", "+", "#", "a,b", "a\0"] },
  "mqtt-literal": {
    right: ["a/b", "/", "a/$b"],
    wrong: ["", "+", "a/#", "a,b", "$share/a/b", "$share", "$SYS/a", "a\n"],
  },
  "mqtt-text": {
    right: ["", "a b", "ä", "\ud83d\ude00"],
    wrong: ["a\n", "\0", "\ud800", "\ufffe", "a".repeat(65536)],
  },
  "mqtt-topic-part": { right: ["", "a/", "/"], wrong: ["+", "#", "\0", "a\n", "\ufdd0"] },
  "nats-key-filter": { right: ["*", "a.>", ">"], wrong: ["a..b", "a b", "a>", "a\n"] },
  "nats-key-part": { right: ["a", "a/b=c-d_1"], wrong: ["", "a.b", "*", ">", "a b"] },
  "nats-subject-part": { right: ["", ".", "a.b."], wrong: ["a b", "*", ">", "\r\n", "\0"] },
  "nats-token": {
    right: ["a", "ä", "$a"],
    wrong: ["", "a.b", "*", ">", "a b", "\n", "\ud800", "a".repeat(2049)],
  },
  "event-type": {
    right: ["order.made", "a b c", "#1/2"],
    wrong: ["", " a", "a ", "a  b", "a\n", "é", "a\0b"],
  },
  "webhook-secret": {
    right: ["12345678", "a secret of my own", `whsec_${"A".repeat(22)}==`, `whsec_${"A".repeat(86)}==`],
    wrong: ["", "1234567", "whsec_", "whsec_AAAAAAAA", `whsec_${"A".repeat(87)}`, `whsec_${"%".repeat(30)}`],
  },
  "header-name": {
    right: ["X-Order", "traceparent", "x_y", "a!#$%&'*+-.^_`|~1"],
    wrong: ["X Order", "X-Order:", "Käse", "a/b", "a\n", "(a)"],
  },
  "header-value": {
    right: ["a b", "a\tb", "Käse", " a ", "text\n", "\r\n a", "€".replace("€", "ÿ")],
    wrong: ["a\nb", "a\r\nX-Other: b", "a\0", "€", "a\u007f"],
  },
  "host-name": {
    right: ["orders.example.com", "ORDERS.example.com.", "localhost", "a-b.c1", "xn--kse-qla.de", "a_b.svc"],
    wrong: [
      "",
      "https://a",
      "a:80",
      "*.example.com",
      "a/b",
      "a b",
      "-a",
      "a-",
      "a..b",
      ".a",
      "käse.de",
      "10.0.0.1",
      "[::1]",
    ],
  },
  "host-pattern": {
    right: ["api.acme.example", "*.acme.example", "*.ACME.example.", "localhost", "*.localhost"],
    wrong: [
      "",
      "*",
      "*.",
      "a.*",
      "*.*.a",
      "**.a",
      "*a.b",
      "a:80",
      "*.a:80",
      "https://a",
      "a/b",
      "käse.de",
      "10.0.0.1",
    ],
  },
  "allowed-host": {
    right: [
      "api.example.com",
      "API.example.com:8443",
      "*.example.com",
      "*.example.com:80",
      "10.0.0.1",
      "[::1]:80",
    ],
    wrong: ["", "https://a", "a/b", "u@a", "*", "a*.b", "a b", "a.*.b", "é.example"],
  },
  "http-url": {
    right: [
      "http://a",
      "HTTPS://a:443/b c?d#e",
      "http://user:pass@a/b",
      "http://[::1]:80/",
      "http://a_b.svc:8080?x=http://y",
      "http://a/x:y@z",
    ],
    wrong: [
      "a",
      "//a",
      "ftp://a",
      "http:/a",
      "http://",
      "http:///a",
      "http://a:b",
      "http://a:65536/",
      "http://a b/",
    ],
  },
  "kafka-address": {
    right: ["a:9092", "10.0.0.1:1", "kafka-0.kafka.svc.cluster.local:65535", "[::1]:9092", "a_b:9092"],
    wrong: [
      "a",
      "a:",
      "a:0",
      "a:65536",
      "a:b",
      "kafka://a:9092",
      "a b:9092",
      "u@a:9092",
      "a:9092/",
      "::1:9092",
      "[::1]",
    ],
  },
  "key-hash": {
    right: [formats["key-hash"].example, "A".repeat(64)],
    wrong: ["", "abc", "g".repeat(64), "a".repeat(63), "a".repeat(65), `${"a".repeat(64)}\n`],
  },
  "password-hash": {
    right: [
      formats["password-hash"].example,
      "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaA",
      "$argon2i$v=19$m=64,t=1,p=4$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaA",
    ],
    wrong: [
      "",
      "secret",
      "$2b$10$short",
      "$2b$03$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy",
      "$argon2d$v=19$m=64,t=1,p=4$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaA",
      "$argon2id$v=16$m=64,t=1,p=4$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaA",
      "$argon2id$v=19$m=64,t=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaA",
    ],
  },
  "kafka-topic": {
    right: ["a", "A.b_c-1", "...", "a".repeat(249), "__consumer_offsets"],
    wrong: [".", "..", "a b", "a/b", "a:0", "ä", "a".repeat(250), "a\n"],
  },
  "kafka-topic-selection": {
    right: ["a", "a:0", "a:0-3", "a".repeat(249)],
    wrong: ["a:", "a:b", "a:0-", "a:-1", ":0", ".:0", "a:0:1", "a b"],
  },
  line: { right: ["a", "€ b\t"], wrong: ["a\nb", "a\r", "a\0b"] },
  "memcached-address": {
    right: ["localhost:11211", "cache", "memcached://cache:11211", "[::1]:11211"],
    wrong: ["", "cache:0", "redis://cache", "a b", "cache:port"],
  },
  "memcached-prefix": {
    right: ["", "orders:", "käse"],
    wrong: ["a b", "a\r\n", "\x7f", "\ud800", "a".repeat(201)],
  },
  "mqtt-address": {
    right: ["tcp://a:1883", "mqtts://u:p@a", "wss://a//mqtt", "a", "tcp:1883", "[::1]:1883", "SSL://a"],
    wrong: ["http://a", "tcp://", "tcp://a:0", "a b", "tcp://a:mqtt", "amqp://a:1883", "tcp//a", "tpc//a"],
  },
  "mqtt-filter": {
    right: [
      "a",
      "a/b",
      "#",
      "+",
      "a/#",
      "a/+/b",
      "+/+",
      "/",
      "a//b",
      "$SYS/#",
      "$share/g/a/#",
      "$shared",
      "a b",
      "a/#".slice(0, 2),
    ],
    wrong: [
      "a#",
      "a/#/b",
      "##",
      "a+",
      "+a/b",
      "a/b+",
      "$share/g",
      "$share/g/",
      "$share",
      "$share//a",
      "$share/+/a",
      "a\0",
    ],
  },
  "mqtt-topic": { right: ["a", "a/b c", "/", "$aws/a"], wrong: ["a/+", "#", "a#b", "a\0"] },
  network: {
    right: [
      "10.0.0.1",
      "0.0.0.0/0",
      "10.0.0.0/8",
      "255.255.255.255/32",
      "::",
      "::1",
      "::/0",
      "fe80::1/64",
      "1:2:3:4:5:6:7:8",
      "::ffff:10.0.0.1",
    ],
    wrong: [
      "",
      "a",
      "10.0.0",
      "256.0.0.1",
      "10.0.0.0/33",
      "10.0.0.*",
      "1:2:3:4:5:6:7:8:9",
      ":::",
      "::1/129",
      "10.0.0.1 ",
      "[::1]",
    ],
  },
  "nats-address": {
    right: ["nats://a:4222", "tls://u:p@a", "a", "a:4222", "nats://token@a", "tcp://a"],
    wrong: [
      "http://a",
      "ws://a",
      "nats://a:x",
      "nats://",
      "nats://a:70000",
      "a b",
      "nats//a:4222",
      "nats:/a",
    ],
  },
  "nats-bucket": { right: ["a", "A_b-1"], wrong: ["a.b", "a b", "a/b", "*"] },
  "nats-key": { right: ["a", "a.b", "a/b=c"], wrong: ["a b", "a..b", ".a", "a.", "*", "a.>"] },
  "nats-name": { right: ["ORDERS", "a-b_c"], wrong: ["a b", "a.b", "a/b", "*", ">"] },
  "nats-filter": {
    right: ["a", "a.b", "*", ">", "a.*", "a.*.b", "a.>", "$JS.API.>", "a-b_c/d", "*.*"],
    wrong: ["a b", "a..b", ".a", "a.", "a>", "a.>.b", "a*", "*a", "a\n", ">>", ""],
  },
  "nats-queue": { right: ["a", "a.b"], wrong: ["a b", "a\t"] },
  "nats-subject": { right: ["a", "a.b", "$SYS.a"], wrong: ["a.*", ">", "a b", ".a", "a.", "a..b", "a>b"] },
  origin: {
    right: ["*", "https://a", "http://a:8080", "https://a/", "https://a/b"],
    wrong: ["a", "ftp://a", "https://", "https://*:x", "https://a:0"],
  },
  "redis-address": {
    right: ["redis://a", "rediss://u:p@a:6380/1", "redis://:p@a", "tcp://a:6379"],
    wrong: ["a:6379", "http://a", "redis://", "redis://a:0", "redis://a b"],
  },
  "redis-addresses": {
    right: ["redis://a", "redis://a:1,redis://b:2/0"],
    wrong: ["", "a", "redis://a,b", "redis://a,", "redis://a:0,redis://b", " redis://a"],
  },
  "redis-allowed-command": {
    right: ["get", "CONFIG get", "ft.search"],
    wrong: ["", "subscribe", "client kill", "config  get", "config get x", "get\n", "1"],
  },
  "redis-command": {
    right: ["get", "HSET", "ft.search", "json.get"],
    wrong: ["", "subscribe", "PSUBSCRIBE", "sunsubscribe", "BLPOP", "client", "a b", "get\r\nset", "1"],
  },
  "redis-key": { right: ["a", "a b\n", "ä", "*"], wrong: ["", "\ud800", "a".repeat(65_537)] },
  "redis-literal": { right: ["orders:1"], wrong: ["", "*", "a?", "[a]", "a\\", "^"] },
  "redis-optional-key": { right: ["", "a"], wrong: ["\udc00"] },
  "redis-optional-pattern": { right: ["", "a*"], wrong: ["\udc00"] },
  "redis-pattern": { right: ["*", "a[bc]?"], wrong: ["", "\udc00"] },
  "sql-name": {
    right: ["orders", "shop.orders", 'a."b c"'],
    wrong: ["", "1a", "a b", "a;b", "a--", '"', 'a""', "a.", "a.b.c.d", '"a\n"'],
  },
  "socket-url": {
    right: ["ws://a", "WSS://u:p@a:443/b?c", "ws://[::1]:80/"],
    wrong: ["http://a", "a", "ws://", "ws://a:0", "wss://a b"],
  },
  "smtp-address": {
    right: ["smtp://a", "smtps://a:465", "smtp://user:p%40ss@mail.example.com:587", "smtp://[::1]:25/"],
    wrong: ["", " smtp://a", "smtp://", "smtp://a:b", "smtp://a b", "http://a", "mail.example.com"],
  },
  "store-address": {
    right: ["sqlite:a.db", "sqlite:///var/lib/a b.db", "postgres://u:p@a:5432/b", "postgresql://a/b"],
    wrong: ["", "a.db", "sqlite:", "sqlite://", "postgres:a", "postgres://", "postgres://a b", "mysql://a"],
  },
  truth: { right: ["true", "FALSE", "T", "0"], wrong: ["yes", "tRUE", "true ", "2"] },
};

for (const [name, format] of Object.entries<Format>(formats)) {
  const { right, wrong } = samples[name] ?? { right: [], wrong: [] };

  test(`${name}: valid values have no fault, and invalid ones have one`, () => {
    assert.ok(right.length > 0 && wrong.length > 0, "a format needs samples");
    for (const text of [...right, format.example]) assert.is(faultOf(format, text), undefined, text);
    for (const text of wrong) assert.type(faultOf(format, text), "string", JSON.stringify(text));
  });

  test(`${name}: an incomplete text that can become valid has no certain fault`, () => {
    for (const text of [...right, format.example]) {
      for (let start = 0; start <= text.length; start++) {
        for (let end = start; end <= Math.min(text.length, start + 3); end++) {
          const [first, second] = [text.slice(0, start), text.slice(end)];
          const fault = certainFault(format, [first, second]);
          if (fault === undefined) continue;
          // Only a hole of more than one part of the form may be beyond what is tried out.
          assert.is(canFill(format, first, second), false, `${first}…${second}`);
        }
      }
    }
  });
}

/** Whether one of many texts between the two makes them right. */
function canFill({ pattern }: Format, first: string, second: string): boolean {
  const pieces = [
    "",
    "a",
    "1",
    "/",
    ".",
    ":",
    "@",
    "-",
    "+",
    "#",
    "*",
    ">",
    "//",
    "://",
    "]",
    "[",
    "$share",
    "$",
  ];
  const between = pieces.flatMap((one) => pieces.map((two) => one + two));
  return between.some((text) => pattern.test(first + text + second));
}

test("a fault is certain if no value of the placeholders can fix it", () => {
  assert.type(certainFault(formats["kafka-topic"], ["new orders ", ""]), "string");
  assert.type(certainFault(formats["kafka-topic"], ["", ":", ""]), "string");
  assert.type(certainFault(formats["nats-subject"], ["orders..", ""]), "string");
  assert.type(certainFault(formats["nats-subject"], ["orders.", "."]), "string");
  assert.type(certainFault(formats["mqtt-topic"], ["orders/", "/#"]), "string");
  assert.type(certainFault(formats["kafka-address"], ["http://", ""]), "string");
  assert.type(certainFault(formats["http-url"], ["ftp://", "/a"]), "string");
});

test("any part of a URL may be a placeholder", () => {
  const url = formats["http-url"];
  for (const text of [
    ["", "://", ":", "/orders"],
    ["", ""],
    ["", "/orders/", ""],
    ["http", "://", "/orders"],
    ["http://", ":", "@a"],
    ["http", "a/", ""],
    ["", "a", "b", "c", "d"],
  ] as const) {
    assert.is(certainFault(url, text), undefined, text.join("…"));
  }
  assert.is(certainFault(formats["kafka-address"], ["", "", "", ""]), undefined);
});

test("a value that is a placeholder as a whole, or at its start or end, may be valid", () => {
  for (const [name, format] of Object.entries<Format>(formats)) {
    assert.is(certainFault(format, ["", ""]), undefined, name);
    const [scheme] = /^\w+(?=:\/\/)/.exec(format.example) ?? [];
    if (scheme === undefined) continue;
    assert.is(certainFault(format, ["", format.example.slice(scheme.length)]), undefined, name);
    assert.is(certainFault(format, [`${scheme}://`, ""]), undefined, name);
  }
});

test("an empty text has no certain fault", () => {
  for (const format of Object.values(formats)) assert.is(certainFault(format, [""]), undefined);
});

test.run();
