// Recording bus: stores everything that its process publishes, and the answers, as text.
import type { Bus, JsonObject } from '../../bus/mod.ts';

export function heardBus(bus: Bus, heard: string[]): Bus {
  const note = (what: string, said: unknown): void => void heard.push(`${what} ${JSON.stringify(said)}`);
  const answered = async <Answer>(subject: string, answer: Promise<Answer>): Promise<Answer> => {
    try {
      const given = await answer;
      note(`answer of ${subject}`, given);
      return given;
    } catch (error) {
      note(`failure of ${subject}`, error instanceof Error ? { ...error, message: error.message } : error);
      throw error;
    }
  };
  const { mailbox, services, trace } = bus;
  return over(bus, {
    mailbox: over(mailbox, {
      publish(subject, payload, expected, tracing) {
        note('mail', [subject, payload]);
        return mailbox.publish(subject, payload, expected, tracing);
      },
    }),
    services: over(services, {
      request(subject, request, deadlineAt, tracing) {
        note(`request ${subject}`, request);
        return answered(subject, services.request(subject, request, deadlineAt, tracing));
      },
      callLong(subject, request, options, tracing) {
        note(`request ${subject}`, request);
        const onProgress = (progress: JsonObject): void => {
          note(`progress of ${subject}`, progress);
          options.onProgress(progress);
        };
        return answered(subject, services.callLong(subject, request, { ...options, onProgress }, tracing));
      },
    }),
    trace: over(trace, {
      emit(event) {
        note('event', event);
        trace.emit(event);
      },
    }),
  });
}

/** The same but for some members. */
function over<Part extends object>(part: Part, own: Partial<Part>): Part {
  return new Proxy(part, {
    get(target, key) {
      const value = Reflect.get(key in own ? own : target, key) as unknown;
      return typeof value === 'function' ? value.bind(key in own ? own : target) : value;
    },
  });
}
