// The responses of a management service about definitions with secrets. A user who may read a definition gets it as it
// was sent; nothing that is derived from it or reported about it may contain its secrets.

import { join } from "node:path";
import { temporaryDirectory } from "../../harness/directories.ts";
import { ownType } from "../../management/definitions.ts";
import { startTestService, type TestService } from "../../management/services.ts";
import { withMistake } from "./campaign.ts";
import { type MarkedSet, marker } from "./documents.ts";

/** Responses as text by request, and the number of definitions that the service accepted. */
export interface Answers {
  readonly texts: ReadonlyMap<string, string>;
  readonly taken: number;
}

/**
 * Sends each definition unchanged and with mistakes, and requests everything that the service derives from the accepted
 * ones.
 */
export async function answersAbout(sets: readonly MarkedSet[]): Promise<Answers> {
  const store = { kind: "sqlite", file: join(temporaryDirectory("answers"), "store.db") } as const;
  const environment = { GW_MANAGEMENT_API_KEYS: `key-of-own-users,other:${marker}-key-of-others` };
  const service = await startTestService(store, {
    environment,
    settings: { organisations: { default: { files: [folder], variables: ["*"] } } },
  });
  const texts = new Map<string, string>();
  const note = async (what: string, method: string, path: string, body?: string) => {
    const answer = await service.ask(method, path, body, body === undefined ? {} : ownType);
    texts.set(`${what}: ${method} ${path}`, `${[...answer.headers]} ${answer.text}`);
    return answer;
  };
  try {
    let taken = 0;
    for (const [index, { name, files }] of sets.entries()) {
      const written = JSON.stringify(definition(files["api.yaml"], index), undefined, 2);
      const text = written.replaceAll('"./', `"${folder}`);
      await note(name, "POST", "/apis/streams/validate", text);
      for (let mistake = index % apart; mistake < mistakes; mistake += apart) {
        const broken = withMistake(text, "api.yaml", mistake, 2 * index + 1);
        await note(`${name} with mistake ${mistake}`, "POST", "/apis/streams/validate", broken);
      }
      const { status, body } = await note(name, "POST", "/apis/streams", text);
      if (status !== 200) continue;
      taken += 1;
      for (const made of ["topology", "asyncapi", "versions"])
        await note(name, "GET", `/apis/streams/${body.ID}/${made}`);
    }
    await askForLists(note);
    return { texts, taken };
  } finally {
    await service.close();
  }
}

/** The folder of the files that definitions may refer to. */
const folder = "/run/secrets/";

/** The number of kinds of mistakes, of which each definition is sent with every third one, and the next with others. */
const mistakes = 6;
const apart = 3;

async function askForLists(
  note: (what: string, method: string, path: string) => ReturnType<TestService["ask"]>,
): Promise<void> {
  for (const path of ["/apis/streams/topology", "/streams", "/audit", "/deployments", "/gateways", "/users"])
    await note("all", "GET", path);
  await note("editors", "GET", "/schemas/apidefs/streams-oas");
}

/** Returns the definition with its own name and listen path. */
function definition(api: object, index: number): object {
  return {
    "x-gw-api-gateway": {
      info: { name: `marked ${index}`, state: { active: true } },
      server: { listenPath: { value: `/marked-${index}/` } },
    },
    ...api,
  };
}
