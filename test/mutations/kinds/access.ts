// Mistakes in settings about access.

import { type Kind, linesWith, replaced, slip } from "../mutation.ts";

export const access: readonly Kind[] = [
  replaced("policy that is not there", /(?<=apply_policies: \[)\w+/, ({ match }) => slip(match[0])),
  replaced("rights to an API that is not there", /(?<=access_rights: \{ )\w+/, ({ match }) => slip(match[0])),
  replaced("hash of a key cut short", /(?<=key_hash: )[0-9a-f]{64}/, ({ match }) => match[0].slice(0, -1)),
  replaced("password that is not hashed", /(?<=password: )\$2b\$\S+(?=,)/, () => "secret"),
  replaced(
    "key that is there twice",
    /(?<=key_hash: )([0-9a-f]{64})([\s\S]*?key_hash: )\S+/,
    ({ match }) => ({
      text: `${match[1]}${match[2]}${match[1]}`,
      lines: (changed) => linesWith(changed, new RegExp(`key_hash: ${match[1]}`)).slice(1),
    }),
  ),
  replaced(
    "scheme switched off that is asked for",
    /(?<=^ +(?:securitySchemes: \{ )?key: \{ enabled: )true/,
    () => ({
      text: "false",
      lines: (changed) => linesWith(changed, /security: \[\{ key|enabled: /),
    }),
    /\.yaml$/,
  ),
  replaced("scopes of a key", /(?<=^security: \[\{ key: \[)(?=\])/, ({ text }) =>
    text.includes("authentication:") ? "orders" : undefined,
  ),
  replaced("mode misspelt", /(?<=securityProcessingMode: )\w+/, ({ match }) => slip(match[0])),
];
