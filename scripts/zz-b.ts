import { bundleStream } from "../test/bundles.ts";
const { code, modules } = await bundleStream({ input: { http_server: { path: "/in" } }, output: { drop: {} } }, { minify: true });
console.log(code.length);
const groups = new Map<string, number>();
for (const [path, bytes] of modules) {
  const key = path.startsWith("node_modules/") ? path.split("/").slice(0, path.split("/")[1]?.startsWith("@") ? 3 : 2).join("/") : path.split("/").slice(0, 2).join("/");
  groups.set(key, (groups.get(key) ?? 0) + bytes);
}
for (const [k, v] of [...groups].sort((a, b) => b[1] - a[1]).slice(0, 40)) console.log(v, k);
console.log("--");
for (const [k, v] of [...modules].sort((a, b) => b[1] - a[1]).slice(0, 60)) console.log(v, k);
