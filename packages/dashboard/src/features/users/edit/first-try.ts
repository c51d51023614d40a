import { useRef } from 'react'
import { RETRY_MS } from '../../../queries/connection.ts'

/**
 * Remembers when an input was first sent. A retry must contain the same expiry date as the first request;
 * otherwise, the API would treat it as a new request.
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
