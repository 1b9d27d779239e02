// Requests for the host name of one organisation reach no API of another.

import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { parsePath } from "../../../runtime/http/request-path.ts";
import { createRouter, type RoutedApi } from "../../../runtime/http/router.ts";

const hosts = [undefined, "red.example", "blue.example"];
const asked = (host: string, path: string) => {
  const url = new URL(`http://${host}${path}`);
  const parsed = parsePath(url.pathname);
  if (parsed === undefined) throw new Error(path);
  return { url, path: parsed, headers: {}, query: new Map<string, string>() };
};

test("a host name serves only APIs of the organisations that own it", () => {
  const places = fc.uniqueArray(
    fc.record({
      organisation: fc.constantFrom("red", "blue", undefined),
      host: fc.constantFrom(...hosts),
      listenPath: fc.constantFrom("/", "/a/", "/a/b/", "/c/"),
    }),
    { selector: ({ host, listenPath }) => `${host} ${listenPath}`, maxLength: 8 },
  );
  const at = fc.constantFrom("/", "/a/x", "/a/b/x", "/c/x");
  const host = fc.constantFrom("red.example", "BLUE.example.", "other.example");
  const assigned = fc.dictionary(
    fc.constantFrom("red.example", "blue.example"),
    fc.constantFrom("red", "blue"),
  );
  fc.assert(
    fc.property(places, at, host, assigned, (apis, path, name, ownerByHost) => {
      const routed = apis.map(
        (api, index): RoutedApi<number> => ({ ...api, id: `${index}`, api: index, routes: [] }),
      );
      const ownerOf = (each: string) => (Object.hasOwn(ownerByHost, each) ? ownerByHost[each] : undefined);
      const found = createRouter(routed, ownerOf).findApi(asked(name, path) as never);
      const plain = name.toLowerCase().replace(/\.$/, "");
      const owner = ownerOf(plain);
      const ofHost = apis.filter(
        (each) => each.host === plain && (owner === undefined || each.organisation === owner),
      );
      const owners = new Set(owner === undefined ? ofHost.map(({ organisation }) => organisation) : [owner]);
      const longest = (candidates: typeof apis) =>
        candidates
          .filter(({ listenPath }) => path.startsWith(listenPath))
          .sort((a, b) => b.listenPath.length - a.listenPath.length)[0];
      const best = longest(ofHost) ?? longest(apis.filter((each) => each.host === undefined));
      const isFound = best !== undefined && (owners.size === 0 || owners.has(best.organisation));
      assert.is(found instanceof Error ? found : found?.api, isFound ? apis.indexOf(best) : undefined);
    }),
    { seed: 8, numRuns: 600 },
  );
});

test.run();
