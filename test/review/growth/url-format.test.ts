import { createRequire } from "node:module";
import * as fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { isUrl } from "../../../runtime/text/url-format.ts";

const { fullFormats } = createRequire(import.meta.url)("ajv-formats/dist/formats.js");

test("isUrl agrees with the library", () => {
  const part = fc.constantFrom(
    ...[
      "http://",
      "https://",
      "ftp://",
      "a",
      "b-c",
      ".",
      "com",
      ":",
      "@",
      "80",
      "/",
      "?",
      "#",
      " ",
      "\n",
      "-",
    ],
    ...["127.0.0.1", "8.8.8.8", "172.16.1.1", "10.", "0", "é", "A", "user:pw@", "x.org", ":8080", "%"],
  );
  const text = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(""));
  let taken = 0;
  fc.assert(
    fc.property(
      fc.oneof(
        text,
        text.map((rest) => `http://${rest}`),
      ),
      (given) => {
        const expected = fullFormats.url.test(given);
        if (expected) taken++;
        assert.is(isUrl(given), expected, given);
      },
    ),
    { seed: 1, numRuns: 20_000 },
  );
  assert.ok(taken > 100, `${taken} were URLs`);
});

test.run();
