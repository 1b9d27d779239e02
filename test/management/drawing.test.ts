import { test } from "uvu";
import * as assert from "uvu/assert";
import { layOut } from "../../management/drawing/lay-out.ts";
import { pictureOf } from "../../management/drawing/picture.ts";
import { printSvg } from "../../management/drawing/print-svg.ts";

const place = { file: "a.yaml", line: 1, column: 1 };
const chain = (count: number) => ({
  nodes: Array.from({ length: count }, (_, index) => {
    return { id: `n${index}`, role: "processor" as const, component: "noop", place };
  }),
  edges: Array.from({ length: count - 1 }, (_, index) => ({ from: `n${index}`, to: `n${index + 1}` })),
});

test("names are escaped in an SVG", () => {
  const hostile = `</text><script>alert(1)</script>&"'\u0000\ud800`;
  const nodes = [
    { id: hostile, role: "input" as const, component: "kafka", label: hostile, detail: hostile, place },
  ];
  const picture = pictureOf(layOut(hostile, { nodes, edges: [] }));
  const text = picture === undefined ? "" : printSvg(picture);
  assert.match(text, "&lt;/text&gt;&lt;script&gt;");
  assert.not.match(text, "<script");
  assert.not.match(text, /[\0\ud800]/);
  assert.is(text.match(/aria-label="[^"]*"/g)?.length, 1);
});

test("two edges between the same components are both drawn, with their labels", () => {
  const { nodes } = chain(2);
  const edges = [
    { from: "n0", to: "n1" },
    { from: "n0", to: "n1", label: "failed" },
  ];
  const { picture } = layOut("s", { nodes, edges });
  assert.equal(
    picture?.edges.map(({ points, labelAt }) => [points.length > 1, labelAt !== undefined]),
    [
      [true, false],
      [true, true],
    ],
  );
});

test("an input lists its callers, for each verb and path where they differ", () => {
  const route = (path: string, callers: Readonly<Record<string, "open" | { key: string[] }[]>>) => {
    return { transport: "http" as const, path, callers };
  };
  const shown = (routes: ReturnType<typeof route>[]) => {
    const nodes = [{ id: "a", role: "input" as const, component: "http_server", routes, place }];
    const drawing = layOut("s", { nodes, edges: [] });
    const picture = pictureOf(drawing);
    assert.equal(drawing.picture?.nodes[0]?.routes, drawing.nodes[0]?.routes);
    return picture === undefined ? "" : printSvg(picture);
  };
  const key = [{ key: ["read"] }];
  const one = shown([route("/in", { POST: key, PUT: key }), route("/in/socket", { GET: key })]);
  assert.match(one, "input http_server; callers: key (scope read) (line 1)</title>");
  assert.match(one, "callers: key (scope read)</text>");
  const several = shown([route("/in", { POST: key, PUT: "open" }), route("/out", { GET: "open" })]);
  assert.match(several, "callers of /in: PUT: open; callers of /out: open (line 1)");
  assert.match(several, "callers of /in: POST: key (scope …</text>");
});

test("long names are shortened in boxes and complete in titles", () => {
  const label = "x".repeat(60);
  const nodes = [{ id: "a", role: "output" as const, component: "drop", label, place }];
  const picture = pictureOf(layOut("s", { nodes, edges: [] }));
  const text = picture === undefined ? "" : printSvg(picture);
  assert.match(text, `${"x".repeat(33)}…</text>`);
  assert.match(text, `“${label}” (line 1)</title>`);
});

test("a stream with hundreds of components is listed but not drawn", () => {
  assert.ok(layOut("s", chain(300)).picture);
  const large = layOut("s", chain(301));
  assert.equal([large.picture, large.nodes.length, large.edges.length], [undefined, 301, 300]);
  assert.is(pictureOf(large), undefined);
  assert.equal(layOut("s", { nodes: [], edges: [] }), { stream: "s", nodes: [], edges: [] });
});

test.run();
