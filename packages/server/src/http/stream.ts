/** A {@link Stream} on its way out: short ones become one text, long ones are read no faster than they are fetched. */
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { Stream } from '../endpoints/endpoint.ts'

/** Characters up to which an answer is held, so that it has a length and whatever fails is still a proper error. */
const SHORT = 65_536

/** `onFailure` is told what fails after the first pieces are on their way; what fails before is thrown. */
export async function readStream(
  { parts }: Stream,
  onFailure: (thrown: unknown) => void,
): Promise<string | Readable> {
  const rest = parts[Symbol.asyncIterator]()
  let head = ''
  while (head.length < SHORT) {
    const { done, value } = await nextInTurn(rest)
    if (done) return head
    head += value
  }
  return Readable.from(textsOf(head, rest, onFailure), { objectMode: false })
}

/** Each text goes out as soon as it is there; nobody is asked for more than the receiver takes. */
export function readLive({ parts }: Stream): Readable {
  return Readable.from(parts, { objectMode: false, highWaterMark: 1 })
}

async function* textsOf(
  head: string,
  rest: AsyncIterator<string>,
  onFailure: (thrown: unknown) => void,
): AsyncGenerator<string> {
  try {
    yield head
    for (;;) {
      const { done, value } = await nextInTurn(rest)
      if (done) return
      if (value !== '') yield value
    }
  } catch (thrown) {
    onFailure(thrown)
    throw thrown
  } finally {
    await rest.return?.()
  }
}

/** The database may answer before the event loop turns; other requests have their turn between two pieces. */
async function nextInTurn(rest: AsyncIterator<string>): Promise<IteratorResult<string>> {
  await setImmediate()
  return rest.next()
}
