// The page at `/portal/`: administrators enter a token, developers log in.

import { byId } from "../kit/elements.ts";
import { attempt } from "../kit/messages.ts";
import { ask } from "../kit/requests.ts";
import { endAdministration, startAdministration } from "./administrators.ts";
import { resumeSession, startDevelopment } from "./developers.ts";
import { show } from "./parts.ts";

startAdministration();
startDevelopment();
byId("leave").addEventListener("click", () =>
  attempt(async () => {
    if (!endAdministration()) await ask("DELETE", "entrance/login");
    show("enter", "");
  }),
);
void resumeSession();
