/** Light, dark, or as the system has it. Only this choice is stored in the browser. */
const KEY = "toolgate-theme";

export function startTheme(): void {
  const chosen = localStorage.getItem(KEY);
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset["theme"] = chosen;
}

export function switchTheme(): void {
  const { dataset } = document.documentElement;
  const isDark = dataset["theme"]
    ? dataset["theme"] === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  dataset["theme"] = isDark ? "light" : "dark";
  localStorage.setItem(KEY, dataset["theme"]);
}
