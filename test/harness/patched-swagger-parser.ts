// Loads swagger-parser as `dist` has it: it compiles each schema once per process. The results are the same without it
// but take several times as long for many invalid documents. The compiler imports the package on first use.

import { keptValidators } from "../../scripts/bundle/swagger-parser.ts";
import { patchOnLoad } from "./patch-on-load.ts";

patchOnLoad("swagger-parser", keptValidators);
