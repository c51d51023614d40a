/** Window widths that affect more than styles. They match the breakpoints in the style sheets. */
import { useSyncExternalStore } from 'react'

const isPhone = watch('(max-width: 48rem)')
const isNarrow = watch('(max-width: 56rem)')
const isWide = watch('(min-width: 80rem)')

/** Whether list rows take two lines. */
export function useIsPhone(): boolean {
  return useSyncExternalStore(isPhone.subscribe, isPhone.read)
}

/** Whether the window is too narrow for the sidebar. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(isNarrow.subscribe, isNarrow.read)
}

/** Whether there is room for a drawer next to its list. */
export function useIsWide(): boolean {
  return useSyncExternalStore(isWide.subscribe, isWide.read)
}

function watch(condition: string) {
  const query = matchMedia(condition)
  return {
    read: () => query.matches,
    subscribe: (changed: () => void) => {
      query.addEventListener('change', changed)
      return () => query.removeEventListener('change', changed)
    },
  }
}
