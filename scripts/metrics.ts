// `npm run metrics`: prints figures of the compiler's and the runtime's hand-written files, to compare before and
// after a change. `-- --names` lists the names that are exported more than once, `-- --cycles` the files in import
// cycles.

import { parseArgs } from "node:util";
import { readMetrics, renderMetrics } from "./metrics/figures.ts";
import { readModules } from "./metrics/modules.ts";

const { values } = parseArgs({ options: { names: { type: "boolean" }, cycles: { type: "boolean" } } });
const metrics = readMetrics(readModules(process.cwd()));
console.log(renderMetrics(metrics));
if (values.names) for (const [name, files] of metrics.sharedNames) console.log(`${name}: ${files.join(" ")}`);
if (values.cycles) for (const group of metrics.cycles) console.log(group.join(" "));
