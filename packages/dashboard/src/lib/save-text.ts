/** Downloads a string as a file. */
export function saveText(name: string, content: string | readonly string[]): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(
    new Blob(typeof content === 'string' ? [content] : [...content], { type: 'text/plain' }),
  )
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
