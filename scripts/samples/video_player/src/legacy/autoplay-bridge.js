// Browsers before 2018 start muted video without a gesture only if the element says so.
// Kept for the kiosks that still run them; remove it with the last kiosk.
export function bridgeAutoplay(element) {
  if (element.hasAttribute("autoplay")) return false;
  element.setAttribute("playsinline", "");
  element.defaultMuted = true;
  return true;
}

export const KIOSKS = ["gare-de-lyon", "münchen-hbf", "東京駅"];
