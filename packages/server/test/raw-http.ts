/** Sends raw HTTP bytes, for requests that no client would make. */
import { connect } from 'node:net'

/** Returns the response to these bytes, up to the end of the connection or of an error envelope. */
export function answerToBytes(url: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname, () => socket.write(text))
    let answer = ''
    socket.on('error', reject).on('close', () => resolve(answer))
    socket.on('data', (some) => {
      answer += String(some)
      if (answer.includes('}}')) socket.destroy()
    })
  })
}
