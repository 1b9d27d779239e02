/** An API whose documents name brokers, groups, secrets and addresses of all kinds. */
export const ordersDocument = `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
paths: {}
x-gw-streaming:
  streams:
    intake:
      input: { http_server: { path: /new } }
      output: { kafka: { addresses: ["\${KAFKA:localhost:9092}"], topic: orders } }
    mail:
      input:
        kafka:
          addresses: ["\${KAFKA:localhost:9092}"]
          topics: [orders, "\${MORE_ORDERS}"]
          consumer_group: mail
          sasl: { mechanism: PLAIN, user: mail, password: "\${file:/run/secrets/kafka}" }
      output: { http_client: { url: "https://mail.example.com/send" } }
    audit:
      input:
        nats_jetstream:
          urls: ["nats://10.1.2.3:4222", "nats://nats.messaging.svc:4222"]
          subject: audit.>
          durable: audit
      output: { http_client: { url: "http://\${AUDIT_USER}:\${AUDIT_PASSWORD}@[fd00::7]:8443/x" } }
`;

/** What serves it, with a store, a portal and a certificate. */
export const gatewaySettings = `streaming: { enabled: true }
apis: [orders.yaml]
store: sqlite:./portal.db
portal: { enabled: true, listen: 127.0.0.1:9000 }
listen:
  address: 127.0.0.1:9443
  tls: { cert_file: /etc/gateway/server.crt, key_file: /etc/gateway/server.key }
`;

/** An API with an input that no broker divides. */
export const pollsDocument = `openapi: 3.1.0
info: { title: Polls, version: 1.0.0 }
paths: {}
x-gw-streaming:
  streams:
    poll:
      input: { http_client: { url: "http://127.0.0.1:9/poll", rate_limit: 1s } }
      output: { http_client: { url: "http://127.0.0.1:9/polled" } }
`;
