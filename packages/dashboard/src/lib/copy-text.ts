/** Copies a text. Browsers have a clipboard on https and localhost only; elsewhere the text is selected and copied. */
export async function copyText(value: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(value)
    return true
  } catch {
    return copySelected(value)
  }
}

function copySelected(value: string): boolean {
  const before = document.activeElement
  const holder = document.createElement('textarea')
  holder.value = value
  holder.className = 'unseen'
  // Inside an open dialog, because what is outside of it cannot be selected.
  const place = before?.closest('dialog') ?? document.body
  place.append(holder)
  holder.select()
  const isCopied = document.execCommand('copy')
  holder.remove()
  if (before instanceof HTMLElement) before.focus()
  return isCopied
}
