// Two organisations take random steps in one management service, its portal and its gateway. Their ids, paths, host
// names, channels and broker names come from the same small sets; all other text carries a marker of its owner. No
// response may contain the other's marker, no step may change the other's data, and the gateway must answer as the
// model says.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { temporaryDirectory } from "../../harness/directories.ts";
import { startSluice } from "../../harness/sluice.ts";
import type { Campaign, RoundResult } from "../campaign.ts";
import { type Answered, assigned, ensure, type Model, marker, names, type World } from "./model.ts";
import { Call, CallHosts, commands, settle } from "./steps.ts";

/** The campaign. */
export const twoOrganisations: Campaign = {
  claim: "two organisations neither see nor change anything of each other",
  async prepare() {
    const cwd = temporaryDirectory("two-organisations");
    const settings = {
      streaming: { enabled: true },
      organisation: "operator",
      gateway: "gateway.yaml",
      tail: { enabled: true },
      organisations: assigned,
    };
    writeFileSync(join(cwd, "management.yaml"), JSON.stringify(settings));
    writeFileSync(
      join(cwd, "gateway.yaml"),
      "streaming: { enabled: true }\nstore: sqlite:./portal.db\nportal: { enabled: true }\n",
    );
    const keyOf = (name: string) => `key-of-organisation-${name}`;
    const program = startSluice(["serve", "management.yaml", "--all-in-one"], {
      cwd,
      env: {
        GW_MANAGEMENT_API_KEYS: ["operator", ...names].map((name) => `${name}:${keyOf(name)}`).join(","),
        GW_PORTAL_ACCESS_TOKENS: names.map((name) => `${name}:${keyOf(name)}`).join(","),
        GW_MANAGEMENT_LISTEN: "127.0.0.1:0",
        GW_LISTEN: "127.0.0.1:0",
        GW_ADMIN_LISTEN: "127.0.0.1:0",
      },
    });
    const [, service = ""] = await program.matching(/"management":"(http[^"]+)"/);
    const [, served = ""] = await program.matching(/"gateway":"(http[^"]+)"/);
    const ask = async (name: string, method: string, url: string, body?: object): Promise<Answered> => {
      const answer = await fetch(url, {
        method,
        headers: {
          authorization: keyOf(name),
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      const foreign = names.filter((each) => each !== name && name !== "operator");
      const seen = foreign.find((each) => text.toLowerCase().includes(marker[each].toLowerCase()));
      ensure(seen === undefined, `${method} ${url} shows ${name} what is of ${seen}: ${text}`);
      ensure(answer.status < 500, `${method} ${url}: ${answer.status} ${text}`);
      return { status: answer.status, text };
    };
    const world: World = {
      owners: new Map(),
      served,
      manage: (name, method, path, body) => ask(name, method, `${service}/api${path}`, body),
      portal: (name, method, path, body) => ask(name, method, `${served}/api/portal${path}`, body),
      counter: 0,
      attempts: 0,
      counted: { red: 0, blue: 0 },
    };
    const clear = async () => {
      for (const [each, owner] of world.owners) await world.manage(owner, "DELETE", `/apis/streams/${each}`);
      await settle({ apis: new Map(), keys: [] }, world);
    };
    return {
      async round(seed): Promise<RoundResult> {
        await clear();
        const before = world.attempts;
        const property = fc.asyncProperty(
          fc.commands(commands, { maxCommands: 40, size: "max" }),
          async (drawn) => {
            const model: Model = { apis: new Map(), keys: [] };
            await fc.asyncModelRun(() => ({ model, real: world }), drawn);
            await new Call("red").run(model, world);
            await new CallHosts("blue").run(model, world);
          },
        );
        // A shrunk run would start from the state in which the previous one ended.
        const { failed, errorInstance, counterexample } = await fc.check(property, {
          seed,
          numRuns: 1,
          endOnFailure: true,
        });
        const reported = `${String(errorInstance instanceof Error ? errorInstance.message : errorInstance)} after ${counterexample}`;
        return { attempts: world.attempts - before, findings: failed ? [`seed ${seed}: ${reported}`] : [] };
      },
      async close() {
        await program.stop();
      },
    };
  },
};
