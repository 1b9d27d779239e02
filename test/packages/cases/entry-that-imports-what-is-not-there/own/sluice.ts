import { gone } from "gone";
export default gone;
