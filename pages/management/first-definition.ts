/** The initial definition of a new API. */
export const firstDefinition = `openapi: 3.1.0
info: { title: My stream, version: 1.0.0 }
paths: {}
x-gw-api-gateway:
  info: { name: My stream, state: { active: true } }
  server: { listenPath: { value: /my-stream/ } }
x-gw-streaming:
  streams:
    events:
      input: { http_server: { path: /new } }
      pipeline:
        processors:
          - mapping: root = this
      output: { http_server: { stream_path: /events } }
`;
