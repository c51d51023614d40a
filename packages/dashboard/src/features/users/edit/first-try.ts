import { useRef } from 'react'
import { RETRY_MS } from '../../../queries/connection.ts'

/**
 * Returns a function that returns when an input was first sent. A repeated request must have the same expiry
 * as the first one, because only then can the API recognize it.
 */
export function useFirstTry(): (input: unknown) => number {
  const first = useRef({ input: '', at: 0 })
  return (input) => {
    const [written, now] = [JSON.stringify(input), Date.now()]
    const isAgain = first.current.input === written && now - first.current.at <= RETRY_MS
    if (!isAgain) first.current = { input: written, at: now }
    return first.current.at
  }
}
