import { test } from "uvu";
import { closeEverything, testAnotherGateway } from "./changed-rights.ts";
import { ends } from "./rights-that-end.ts";

testAnotherGateway(ends);

test.after(closeEverything);
test.run();
