import { assert as check, constantFrom, property, string } from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { textOf } from "../../../runtime/component/text.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { Message } from "../../../runtime/message/message.ts";
import { parametersOf } from "../../../runtime/requests/parameter-text.ts";
import { hostTest } from "../../../runtime/requests/public-addresses.ts";
import { type UrlPart, urlOf } from "../../../runtime/requests/url-text.ts";

const hostile = string({
  maxLength: 12,
  unit: constantFrom(
    ...["..", ".", "/", "\\", "?", "#", "@", ":", "%2e", "%2F", "%", "&", "=", "+", ";", " "],
    ...["\r\n", "\0", "\t", '"', "'", "a", "ä", "€", "\u{1f600}", "\ud800", "http://evil.example", "[", "]"],
  ),
});

const seed = 14;

/** Returns the address that the parts produce for a message. */
function made(parts: readonly UrlPart[], isHostOpen = false): string {
  return textOf(urlOf(parts, isHostOpen), [Message.fromText("")], 0);
}

function isRefused(work: () => string): boolean {
  try {
    work();
    return false;
  } catch (error) {
    assert.ok(error instanceof GatewayError, String(error));
    assert.equal([error.status, error.retryable], [422, false]);
    return true;
  }
}

test("a value is one whole path segment, or is rejected as a dot or empty segment", () => {
  check(
    property(hostile, (value) => {
      const parts = ["http://user:pass@shop.test:81/items/", { value: () => value }, "/end?a=1"];
      if (value === "" || value === "." || value === ".." || !value.isWellFormed())
        return isRefused(() => made(parts));
      const url = new URL(made(parts));
      const [, items, segment = "", end, ...others] = url.pathname.split("/");
      assert.equal([url.host, url.username, url.search, url.hash], ["shop.test:81", "user", "?a=1", ""]);
      assert.equal([items, end, others], ["items", "end", []]);
      assert.is(decodeURIComponent(segment), value);
      return true;
    }),
    { seed, numRuns: 2000 },
  );
});

test("a value joined to text of its segment cannot form a dot or empty segment", () => {
  check(
    property(
      constantFrom("", ".", "%2e", "."),
      constantFrom("", ".", "..", "a"),
      constantFrom("", "."),
      (before, value, after) => {
        const parts = [`http://shop.test/a/${before}`, { value }, `${after}/b`] as const;
        const segment = `${before}${value}${after}`;
        const isOther = segment === "" || /^(?:\.|%2e){1,2}$/.test(segment);
        assert.is(
          isRefused(() => urlOf(parts)),
          isOther,
          segment,
        );
      },
    ),
    { seed, numRuns: 200 },
  );
});

test("a value is one query value, even if the document has already escaped it", () => {
  check(
    property(hostile, (value) => {
      const well = value.toWellFormed();
      const address = () =>
        made([
          ...["http://shop.test/a?one=", { value }, "&two=", { queryEscaped: encodeURIComponent(well) }],
          ...["&three=3#", { value }],
        ]);
      if (well !== value) return isRefused(address);
      const url = new URL(address());
      assert.is(url.pathname, "/a");
      assert.equal(
        [...url.searchParams],
        [
          ["one", well],
          ["two", well],
          ["three", "3"],
        ],
      );
      return true;
    }),
    { seed, numRuns: 2000 },
  );
});

test("text escaped for a path adds no parameters in a query", () => {
  assert.is(
    made(["http://shop.test/?q=", { pathEscaped: "a&b=c+d;e" }, "&r=1"]),
    "http://shop.test/?q=a%26b%3Dc%2Bd%3Be&r=1",
  );
  assert.is(made(["http://shop.test/", { pathEscaped: "a&b=%2F" }]), "http://shop.test/a&b=%2F");
  assert.ok(isRefused(() => made(["http://shop.test/", { pathEscaped: ".." }, "/a"])));
});

test("half a character is rejected at every place, because all of them would have one address", () => {
  for (const value of ["\ud800", "a\udfff", "\udc80b"]) {
    for (const part of [
      { value },
      { requestPath: `/${value}` },
      { pathEscaped: value },
      { queryEscaped: value },
    ])
      for (const before of [
        "http://shop.test",
        "http://shop.test/a",
        "http://shop.test/a/",
        "http://shop.test/?q=",
      ])
        assert.ok(
          isRefused(() => made([before, part, "/b"], true)),
          before,
        );
  }
});

test("the path of a request keeps its slashes, and may follow the server", () => {
  assert.is(made(["http://shop.test", { requestPath: "/a/b%20c/%2F" }]), "http://shop.test/a/b%20c/%2F");
  assert.is(made(["http://shop.test/x", { requestPath: "/a?b#c\\d" }]), "http://shop.test/x/a%3Fb%23c%5Cd");
  for (const path of [".evil.test/", "@evil.test/", "", ":80/"]) {
    assert.ok(
      isRefused(() => made(["http://shop.test", { requestPath: path }])),
      path,
    );
  }
  for (const parts of [
    ["http://", { requestPath: "/evil.test" }],
    ["http:///", { value: "evil.test" }],
  ] as const) {
    assert.ok(
      isRefused(() => made(parts)),
      "an empty server",
    );
  }
  for (const path of ["/../a", "/a/..", "/a/%2E%2e/b", "/."]) {
    assert.ok(
      isRefused(() => made(["http://shop.test/x", { requestPath: path }])),
      path,
    );
  }
});

test("a value before the path is rejected", () => {
  for (const before of ["", "http:", "http://", "http://shop.test", "http://u@", "https://shop.test:"]) {
    check(
      property(hostile, (value) => {
        assert.ok(
          isRefused(() => made([before, { value: () => value }, "/a"])),
          before,
        );
      }),
      { seed, numRuns: 50 },
    );
  }
});

test("if messages may choose the server, they yield a host without spaces, backslashes and user names", () => {
  const allowed = hostTest(["api.shop.test", "*.eu.shop.test", "other.test:8443"]);
  const isTaken = (value: string) => allowed(new URL(made([{ value }, "/a"], true)));
  for (const right of [
    "http://api.shop.test",
    "https://API.shop.test",
    "http://a.b.eu.shop.test",
    "https://other.test:8443",
  ]) {
    assert.ok(isTaken(right), right);
  }
  for (const wrong of [
    "http://evil.test",
    "http://eu.shop.test",
    "http://evileu.shop.test",
    "http://other.test",
    "http://api.shop.test:8080",
  ]) {
    assert.not(isTaken(wrong), wrong);
  }
  for (const refused of [
    "http://api.shop.test\\@evil.test",
    "http://u:p@api.shop.test",
    "//u@api.shop.test",
    " http://a",
    "http://a\r\n",
  ]) {
    assert.ok(
      isRefused(() => made([{ value: refused }, "/a"], true)),
      refused,
    );
  }
  assert.is(
    made(["https://", { value: "api.shop.test" }, "/a/", { value: "b/c" }], true),
    "https://api.shop.test/a/b%2Fc",
  );
});

test("a value before the path does not move the text that follows it", () => {
  const hostOf = (value: string) => made(["http://", { value }, ":81/a?b=", { value: "c" }], true);
  assert.is(hostOf("shop.test"), "http://shop.test:81/a?b=c");
  for (const value of [
    "shop.test/",
    "shop.test/x",
    "shop.test?",
    "shop.test#",
    "shop.test/..//",
    "shop.test/?",
  ])
    assert.ok(
      isRefused(() => hostOf(value)),
      value,
    );
  assert.is(made([{ value: "http://shop.test/v1" }, "/a"], true), "http://shop.test/v1/a");
  for (const value of ["http://shop.test/v1?", "http://shop.test#", "http://shop.test/?x="])
    assert.ok(
      isRefused(() => made([{ value }, "/a"], true)),
      value,
    );
  assert.is(made([{ value: "http://shop.test/a?b=c" }], true), "http://shop.test/a?b=c", "a whole address");
  check(
    property(hostile, (value) => {
      const parts = ["http://shop", { value }, ".test/a/", { value: "b" }];
      if (isRefused(() => made(parts, true))) return;
      const url = made(parts, true);
      if (URL.canParse(url)) assert.is(new URL(url).pathname, "/a/b");
    }),
    { seed, numRuns: 2_000 },
  );
});

test("values stay within the quotes of a parameter, and unquoted ones are one token", () => {
  check(
    property(hostile, (value) => {
      const parts = parametersOf(['form-data; name="', { value }, '"; filename=', { value }]);
      if (!value.isWellFormed()) return isRefused(() => textOf(parts, [], 0));
      const text = textOf(parts, [], 0);
      assert.match(text, /^form-data; name="[^"\\\r\n\0]*"; filename=[\w!#$&'*+.^`|~%-]*$/);
      return true;
    }),
    { seed, numRuns: 1000 },
  );
});

test.run();
