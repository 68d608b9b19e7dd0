// Before the first paint, so that a chosen theme does not flash. A file of its own: the policy allows no inline script.
try {
  const theme = localStorage.getItem('pentarch.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // No storage: the system's theme it is.
}
