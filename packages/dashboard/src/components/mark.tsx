/** The product's logo. */
export function Mark() {
  return (
    <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true" fill="currentColor">
      <path d="M12 2 4 5v6c0 5 3.4 9.3 8 11 4.6-1.7 8-6 8-11V5z" opacity=".25" />
      <path d="M12 2v20c4.6-1.7 8-6 8-11V5z" />
    </svg>
  )
}
