/** The color theme, which the browser stores. A script in the page applies it before the first paint. */
import { useSyncExternalStore } from 'react'

export const THEMES = ['light', 'dark', 'system'] as const
export type Theme = (typeof THEMES)[number]

const STORED = 'theme'
const dark = matchMedia('(prefers-color-scheme: dark)')

export function useTheme(): Theme {
  return useSyncExternalStore(onThemeChange, themeNow)
}

export function chooseTheme(theme: Theme): void {
  const { dataset } = document.documentElement
  if (theme === 'system') delete dataset.theme
  else dataset.theme = theme
  try {
    if (theme === 'system') localStorage.removeItem(STORED)
    else localStorage.setItem(STORED, theme)
  } catch {
    // Without storage, the choice is lost when the page is closed.
  }
}

/** Returns whether the page is dark now. */
export function isDark(): boolean {
  const theme = themeNow()
  return theme === 'system' ? dark.matches : theme === 'dark'
}

/**
 * Runs the callback when the page becomes light or dark, including when the theme is changed in another tab.
 */
function onThemeChange(changed: () => void): () => void {
  const watch = new MutationObserver(changed)
  const adopt = ({ key, newValue }: StorageEvent) => {
    if (key === STORED) chooseTheme(THEMES.find((theme) => theme === newValue) ?? 'system')
  }
  watch.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  dark.addEventListener('change', changed)
  addEventListener('storage', adopt)
  return () => {
    watch.disconnect()
    dark.removeEventListener('change', changed)
    removeEventListener('storage', adopt)
  }
}

function themeNow(): Theme {
  const { theme } = document.documentElement.dataset
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}
