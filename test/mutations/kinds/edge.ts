// Mistakes about tokens, certificates, the listener, and the addresses of APIs.

import { type Kind, linesWith, replaced, slip } from "../mutation.ts";

const yaml = /\.yaml$/;
/** The lines that match this pattern, wherever the mistake was made. */
const at = (pattern: RegExp) => (changed: string) => linesWith(changed, pattern);

export const edge: readonly Kind[] = [
  replaced(
    "setting of another kind of scheme",
    /(?<=login: \{ enabled: true, )allowed/,
    ({ match }) => `requiredHeaders: [date], ${match[0]}`,
  ),
  replaced("token that chooses its algorithm", /signingMethod: \w+, (?=source)/, () => ({
    text: "",
    lines: at(/^ +token: /),
  })),
  replaced(
    "shared secret at an address",
    /signingMethod: rsa, source: "[^"]*"/,
    () => 'signingMethod: hmac, jwksURIs: [{ url: "https://login.example.com/keys" }]',
  ),
  replaced(
    "token for anybody",
    /(?<=login: \{ enabled: true), allowedAudiences: \[orders\]/,
    ({ match }) => ({
      text: match[0].replace("orders", ""),
      lines: at(/^ +login: /),
    }),
  ),
  replaced("list of certificates left empty", /(?<=allowlist: \[)"[^"]*"(?=\])/, () => ""),
  replaced("issuer that describes itself nowhere", /(?<=openIdConnectUrl: ")https:\/\//, () => "ftp://"),
  replaced(
    "API where tokens are given out",
    /(?<=listenPath: \{ value: )\/partners\/(?= )/,
    () => "/oauth/partners/",
  ),
  replaced(
    "API where the portal is",
    /(?<=listenPath: \{ value: )\/partners\/(?= )/,
    () => "/api/portal/partners/",
  ),
  replaced("limit without a time", /(?<=rateLimit: \{ enabled: true, rate: 10), per: 1m/, () => ""),
  replaced("clients certified by nobody", /^ +client_ca_file: .*\n/, () => ({
    text: "",
    lines: at(/client_certificates: required/),
  })),
  replaced("no time for clients", /(?<=(?:head|body|idle)_timeout: )\w+/, () => "0s", yaml),
  replaced("version of an API that is not there", /(?<=name: v2, id: )second/, ({ match }) => slip(match[0])),
  replaced("version that is there twice", /(?<=\{ name: )v2(?=, id)/, () => "v1"),
  replaced("default version that is not there", /(?<=^ +default: )v2/, () => "v3"),
  replaced("version named by no header", /^ +key: x-api-version\n/, () => ({
    text: "",
    lines: at(/^ +versioning:|^ +enabled: true$/),
  })),
  replaced("API where a version is", /(?<=listenPath: \{ value: )\/archive\/(?= )/, () => ({
    text: "/orders/v2/",
    lines: at(/name: v2, /),
    shownIn: "orders.yaml",
  })),
  replaced("version that has versions", /(?<=info: \{ id: orders-(?:v2|beta), )/, () => ({
    text: "versioning: { enabled: true, name: v1, location: url }, ",
    lines: at(/\{ name: (?:v2|beta), id: /),
    shownIn: "orders.yaml",
  })),
  replaced(
    "internal API that nobody has as a version",
    /(?<=info: \{ id: (?:archive|partners|north-shop|south-shop|feeds))(?= \})/,
    () => ", state: { active: true, internal: true }",
  ),
  replaced(
    "version taken back from an internal API",
    /^ +- \{ name: (?:v2|beta), id: (orders-\w+) \}\n/,
    ({ match }) => ({
      text: "",
      lines: at(/internal: true/),
      shownIn: `${match[1]}.yaml`,
    }),
  ),
  replaced("clients of tokens taken back", /^oauth_clients:\n(?: .*\n)+/, (_, { name }) =>
    // The portal of the other set issues clients, too.
    name === "tokens-of-the-gateway"
      ? { text: "", lines: at(/^security: /), shownIn: "stock.yaml" }
      : undefined,
  ),
  replaced("certificates that the listener asks nobody for", /^ +client_certificates: .*\n/, () => ({
    text: "",
    lines: at(/clientCertificates:/),
    shownIn: "partners.yaml",
  })),
  replaced("host name with a port", /(?<=name: orders\.example\.com)/, () => ":8443"),
];
