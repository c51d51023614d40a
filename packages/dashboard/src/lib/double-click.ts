/**
 * Ignores the second click of a double click if the first one has started a mutation. Otherwise, the second
 * click would change something else: a toggle would switch back, and after a dialog has closed, the click
 * would reach the page.
 */
let hasChanged = false

/** Called when a mutation starts. */
export function noteChange(): void {
  hasChanged = true
}

export function ignoreDoubleClicks(): void {
  const check = (event: MouseEvent) => {
    // `detail` is the number of clicks in quick succession at the same position.
    if (event.detail <= 1) hasChanged = false
    else if (hasChanged) {
      event.preventDefault()
      event.stopImmediatePropagation()
    }
  }
  addEventListener('click', check, { capture: true })
}
