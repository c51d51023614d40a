import { useEffect, useState } from 'react'

const PAUSE_MS = 250

/** Returns what was typed, once there was a pause. Before that, a search would run for every key. */
export function usePaused(typed: string): string {
  const [paused, setPaused] = useState(typed)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(typed), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return paused
}
