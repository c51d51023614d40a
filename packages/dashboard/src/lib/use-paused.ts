import { useEffect, useState } from 'react'

const PAUSE_MS = 250

/** Returns the input after a pause in typing, so that a search doesn't run on every keystroke. */
export function usePaused(typed: string): string {
  const [paused, setPaused] = useState(typed)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(typed), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return paused
}
