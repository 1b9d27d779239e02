import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * A member of a group by Apache Kafka's own client, with its default settings but for those that follow address, group
 * and topic. Writes lines of `assigned PARTITIONS` and `record TEXT`; SIGTERM has it leave the group.
 */
public class JavaMember {
  public static void main(String[] arguments) {
    Properties settings = new Properties();
    settings.put("bootstrap.servers", arguments[0]);
    settings.put("group.id", arguments[1]);
    settings.put("auto.offset.reset", "earliest");
    settings.put("heartbeat.interval.ms", "300");
    for (int index = 3; index + 1 < arguments.length; index += 2) settings.put(arguments[index], arguments[index + 1]);
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
      consumer.subscribe(List.of(arguments[2]), new ConsumerRebalanceListener() {
        public void onPartitionsAssigned(Collection<TopicPartition> added) {
          tell("assigned", consumer);
        }

        public void onPartitionsRevoked(Collection<TopicPartition> gone) {
          consumer.commitSync();
        }
      });
      Thread main = Thread.currentThread();
      Runtime.getRuntime().addShutdownHook(new Thread(() -> {
        consumer.wakeup();
        try {
          main.join();
        } catch (InterruptedException interrupted) {
          Thread.currentThread().interrupt();
        }
      }));
      while (true) {
        consumer.poll(Duration.ofMillis(100)).forEach(record -> System.out.println("record " + record.value()));
      }
    } catch (WakeupException stopped) {
      System.out.println("left");
    }
  }

  private static void tell(String word, KafkaConsumer<String, String> consumer) {
    List<String> partitions =
        consumer.assignment().stream().map(TopicPartition::partition).sorted().map(String::valueOf).toList();
    System.out.println(word + " " + String.join(",", partitions));
  }
}
